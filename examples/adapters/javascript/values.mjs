// Code for all families: a reader of bytes, and the forms of values in trees.
import { isUtf8 } from 'node:buffer';
import { Reject, range } from './protocol.mjs';

/** Reads bytes in order and rejects truncated input. */
export class Reader {
  constructor(data, order = 'little') {
    Object.assign(this, { data, order, pos: 0, end: data.length });
  }

  get remaining() {
    return this.end - this.pos;
  }

  /** Rejects the input at offset at if fewer than size bytes remain. */
  require(size, at) {
    if (size > this.remaining) {
      throw new Reject('truncated', at, `expected ${size} bytes, ${this.remaining} remain`);
    }
  }

  /** The next bytes. at is the offset of a rejection, by default the position. */
  take(size, at = this.pos) {
    this.require(size, at);
    this.pos += size;
    return this.data.subarray(this.pos - size, this.pos);
  }

  /** An integer of any size, as a BigInt. */
  big(size, signed = false) {
    const bytes = [...this.take(size)];
    if (this.order === 'little') bytes.reverse();
    const n = bytes.reduce((sum, b) => (sum << 8n) | BigInt(b), 0n);
    return signed ? BigInt.asIntN(8 * size, n) : n;
  }

  number(size, signed) {
    return Number(this.big(size, signed));
  }

  /** count elements of at least least bytes each; at is the offset of the count. */
  array(count, least, at, readElement) {
    this.require(count * least, at);
    return Array.from({ length: count }, readElement);
  }

  /** Returns value if no bytes remain. */
  finish(value) {
    if (this.remaining) throw new Reject('trailing', this.pos, `${this.remaining} trailing bytes`);
    return value;
  }
}

/** The bytes of an integer, given as a number, a BigInt or a tree. */
export function number(value, size, order = 'little', signed = false) {
  let n = BigInt(value);
  const bits = 8 * size;
  if ((signed ? BigInt.asIntN(bits, n) : BigInt.asUintN(bits, n)) !== n) {
    throw range(`${n} does not fit ${size} bytes`);
  }
  const out = Buffer.alloc(size);
  for (let i = 0; i < size; i++, n >>= 8n) out[i] = Number(n & 0xffn);
  return order === 'big' ? out.reverse() : out;
}

// Text in trees is a string, or {"hex": ...} if it is not valid UTF-8.

export const textTree = (data) => (isUtf8(data) ? data.toString('utf8') : { hex: data.toString('hex') });
export const textBytes = (tree) => (typeof tree === 'string' ? Buffer.from(tree) : Buffer.from(tree.hex, 'hex'));

/** Characters as UTF-8, with three bytes for each surrogate. */
export function utf8(points) {
  return Buffer.from(points.flatMap((p) => {
    const tail = (n) => Array.from({ length: n }, (_, i) => 0x80 | ((p >> (6 * (n - 1 - i))) & 0x3f));
    if (p < 0x80) return [p];
    if (p < 0x800) return [0xc0 | (p >> 6), ...tail(1)];
    return p < 0x10000 ? [0xe0 | (p >> 12), ...tail(2)] : [0xf0 | (p >> 18), ...tail(3)];
  }));
}

/** The characters of such bytes. Each surrogate is a character, even in a pair. */
export function characters(bytes) {
  const points = [];
  for (let i = 0; i < bytes.length;) {
    const lead = bytes[i++];
    const tail = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    let p = tail ? lead & (0x3f >> tail) : lead;
    for (let n = 0; n < tail; n++) p = (p << 6) | (bytes[i++] & 0x3f);
    points.push(p);
  }
  // Invalid bytes differ from the encoding of the characters found.
  if (points.some((p) => p > 0x10ffff) || !utf8(points).equals(bytes)) {
    throw range('the text is not WTF-8');
  }
  return points;
}

/** count characters of four bytes, as WTF-8. Surrogates are not combined. */
export function readUtf32(r, count) {
  return utf8(Array.from({ length: count }, () => {
    const unit = r.number(4);
    if (unit > 0x10ffff) throw new Reject('value', r.pos - 4, `character ${unit.toString(16)} does not exist`);
    return unit;
  }));
}

// UTF-16 is stored as WTF-8: UTF-8 with three bytes for an unpaired surrogate.

/** Converts between the byte order and little-endian. */
const swapped = (units, order) => (order === 'big' ? Buffer.from(units).swap16() : units);

export function wtf8(units, order) {
  return utf8(Array.from(swapped(units, order).toString('utf16le'), (c) => c.codePointAt(0)));
}

export function utf16(text, order) {
  const units = swapped(Buffer.from(characters(text).map((p) => String.fromCodePoint(p)).join(''), 'utf16le'), order);
  if (!wtf8(units, order).equals(text)) throw range('a surrogate pair is encoded as two characters');
  return units;
}

// Floats are kept as bits, because a NaN may lose its payload in a number.

const scratch = new DataView(new ArrayBuffer(8));

export function fromBits32(bits) {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** The bits of the binary32 nearest to a number. */
export function toBits32(x) {
  scratch.setFloat32(0, x);
  return scratch.getUint32(0);
}

function toBits64(x) {
  scratch.setFloat64(0, x);
  return scratch.getBigUint64(0);
}

function fromBits64(bits) {
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

/** The tree of a float of 4 bytes (bits as a number) or 8 (bits as a BigInt). */
export function floatTree(bits, size = 4) {
  let x = size === 4 ? fromBits32(bits) : fromBits64(bits);
  if (Number.isNaN(x)) return `nan:${bits.toString(16).padStart(2 * size, '0')}`;
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  if (Object.is(x, -0)) return '-0';
  for (let n = 1; size === 4 && n < 10; n++) { // the shortest decimal that restores the bits
    const shorter = x.toPrecision(n);
    if (floatBits(shorter) === bits) {
      x = Number(shorter);
      break;
    }
  }
  return String(x);
}

export function floatBits(tree, size = 4) {
  if (tree.startsWith('nan')) {
    const digits = tree.slice(4) || (size === 4 ? '7fc00000' : '7ff8000000000000');
    return size === 4 ? parseInt(digits, 16) : BigInt(`0x${digits}`);
  }
  const x = Number(tree.replace('inf', 'Infinity'));
  return size === 4 ? toBits32(roundToOdd(tree, x)) : toBits64(x);
}

/**
 * Rounding a decimal to binary64 and then to binary32 can give a wrong result at
 * a midpoint. Rounding an inexact value to an odd last bit first avoids this.
 */
function roundToOdd(decimal, x) {
  const bits = toBits64(x);
  if (!Number.isFinite(x) || x === 0 || bits & 1n) return x;
  const [, whole, part = '', exponent = 0] = /^[-+]?(\d*)\.?(\d*)(?:[eE](.*))?$/.exec(decimal);
  const ten = Number(exponent) - part.length;
  const field = Number((bits >> 52n) & 0x7ffn);
  const two = Math.max(field, 1) - 1075;
  const power = (base, n) => base ** BigInt(Math.max(n, 0));
  const exact = BigInt(whole + part) * power(10n, ten) * power(2n, -two);
  const rounded = ((bits & 0xfffffffffffffn) | (field ? 1n << 52n : 0n)) * power(2n, two) * power(10n, -ten);
  return exact === rounded ? x : fromBits64(exact > rounded ? bits + 1n : bits - 1n);
}

// A fixed layout is 'u4', 'i8', 'f4' (kind and number of bytes), an object of
// fields, or a list.

export function fixedSize(layout) {
  if (typeof layout === 'string') return Number(layout[1]);
  return Object.values(layout).reduce((sum, part) => sum + fixedSize(part), 0);
}

export function readFixed(layout, r) {
  if (Array.isArray(layout)) return layout.map((part) => readFixed(part, r));
  if (typeof layout === 'object') {
    return Object.fromEntries(Object.entries(layout).map(([name, part]) => [name, readFixed(part, r)]));
  }
  const [kind, size] = [layout[0], Number(layout[1])];
  if (kind === 'f') return floatTree(size === 4 ? r.number(size) : r.big(size), size);
  return String(r.big(size, kind === 'i'));
}

export function writeFixed(layout, tree, order) {
  if (typeof layout === 'object') {
    return Buffer.concat(Object.entries(layout).map(([name, part]) => writeFixed(part, tree[name], order)));
  }
  const [kind, size] = [layout[0], Number(layout[1])];
  return number(kind === 'f' ? floatBits(tree, size) : tree, size, order, kind === 'i');
}
