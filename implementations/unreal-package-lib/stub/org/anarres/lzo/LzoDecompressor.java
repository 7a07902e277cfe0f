package org.anarres.lzo;

public interface LzoDecompressor {
	int decompress(byte[] in, int inStart, int inLength, byte[] out, int outStart, lzo_uintp outLength);
}
