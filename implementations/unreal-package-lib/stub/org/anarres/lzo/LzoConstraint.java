package org.anarres.lzo;

public enum LzoConstraint { SAFETY }
