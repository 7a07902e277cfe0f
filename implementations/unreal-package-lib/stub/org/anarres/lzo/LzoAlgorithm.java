package org.anarres.lzo;

public enum LzoAlgorithm { LZO1X }
