// An example: tests of a reader of upkg.CompactIndex. FORMATGAUGE_PLANT=sign plants a fault: the sign is ignored.
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { load, tests } from './formatgauge_vectors.mjs';

const reject = (kind, offset) => Object.assign(Error(kind), { kind, offset });
const reader = {
  decode(type, bytes) {
    if (bytes.length === 0) throw reject('truncated', 0);
    let [value, shift, used, more] = [BigInt(bytes[0] & 0x3F), 6n, 1, bytes[0] & 0x40];
    while (more && used < 5) {
      if (used === bytes.length) throw reject('truncated', 0);
      value |= BigInt(bytes[used] & 0x7F) << shift;
      [more, shift, used] = [bytes[used] & 0x80, shift + 7n, used + 1];
    }
    if (used < bytes.length) throw reject('trailing', used);
    return String(BigInt.asIntN(32, bytes[0] & 0x80 && !process.env.FORMATGAUGE_PLANT ? -value : value));
  },
  encode(type, tree) {
    const value = BigInt(tree);
    if (BigInt.asIntN(32, value) !== value) throw reject('range');
    let rest = value < 0n ? -value : value;
    const out = [Number(rest & 0x3Fn) | (value < 0n ? 0x80 : 0) | (rest > 0x3Fn ? 0x40 : 0)];
    for (rest >>= 6n; rest > 0n; rest >>= 7n) out.push(Number(rest & 0x7Fn) | (rest > 0x7Fn ? 0x80 : 0));
    return Buffer.from(out);
  },
};
const folder = process.env.FORMATGAUGE_JSON ?? fileURLToPath(new URL('../../json', import.meta.url));
tests(test, reader, load(folder, ['upkg.CompactIndex']));
