package org.anarres.lzo;

public class lzo_uintp {
	public lzo_uintp(int value) {}
}
