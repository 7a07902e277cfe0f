package org.anarres.lzo;

/** Stands in for lzo-core, which the library calls for compressed packages only. */
public class LzoLibrary {
	public static LzoLibrary getInstance() {
		throw new UnsupportedOperationException("compressed packages are left out");
	}

	public LzoDecompressor newDecompressor(LzoAlgorithm algorithm, LzoConstraint constraint) {
		return null;
	}
}
