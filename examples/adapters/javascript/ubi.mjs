#!/usr/bin/env node
// The base types of Myst IV, written only from the records of ubi.
//
// The profile is observed. A type is represented by its name with arguments, a
// value by its tree.
import { Reject, range, serve } from './protocol.mjs';
import {
  Reader, fixedSize, floatBits, floatTree, fromBits32, number, readFixed, textBytes, textTree, toBits32, utf16,
  writeFixed, wtf8,
} from './values.mjs';

const all = (names, layout) => Object.fromEntries(names.split(' ').map((name) => [name, layout]));
const [VECTOR2, VECTOR3, VECTOR4] = ['x y', 'x y z', 'x y z w'].map((names) => all(names, 'f4'));
const ELEMENTS = { uint8: 'u1', uint16: 'u2', uint32: 'u4', float32: 'f4' }; // only in arrays and pairs
const NAMED = {
  CompressedQuaternionU32: 'u4', CompressedQuaternion3U16: all('x y z', 'u2'), Color: all('r g b a', 'f4'),
  Vector2: VECTOR2, Vector3: VECTOR3, Vector4: VECTOR4, Quaternion: VECTOR4, Box: all('pMin pMax', VECTOR3),
  Matrix22: all('x y', VECTOR2), Matrix33: all('x y z', VECTOR3), Matrix44: all('x y z w', VECTOR4),
};
const FIXED = { ...ELEMENTS, ...NAMED };
const STRINGS = { BasicString: 1, EncryptedString: 1, BasicWString: 2 }; // bytes per unit of len
const MAGICS = ['ubi/b0-l', 'ubi/b0-b'];

const swizzle = (data) => data.map((b) => ((b & 0x55) << 1) | ((b & 0xaa) >> 1)); // UBI-ENC-2

/** The name and the arguments of a type: Pair<A,B<C>> has A and B<C>. */
function split(type) {
  const [, name, inside] = /^(\w[\w.]*)(?:<(.*)>)?$/.exec(type);
  const args = [''];
  let depth = 0;
  for (const c of inside ?? '') {
    depth += (c === '<') - (c === '>');
    if (c === ',' && depth === 0) args.push('');
    else args[args.length - 1] += c;
  }
  return [name, args];
}

/** The smallest size of a value in bytes, UBI-ARR-2. */
function least(type) {
  if (type in FIXED) return fixedSize(FIXED[type]);
  const [name, args] = split(type);
  return name === 'Pair' ? least(args[0]) + least(args[1]) : 4;
}

function read(type, r) {
  if (type in FIXED) return readFixed(FIXED[type], r);
  if (type in OPERATIONS) {
    const bits = OPERATIONS[type].read(r);
    return Object.fromEntries([...'xyzw'].map((name, i) => [name, floatTree(bits[i])]));
  }
  if (type === 'FileMagic') {
    const magic = r.take(8).toString('latin1');
    if (!MAGICS.includes(magic)) throw new Reject('magic', 0, `expected one of ${MAGICS}`);
    return magic;
  }
  const [name, args] = split(type);
  if (name === 'Pair') return { k: read(args[0], r), v: read(args[1], r) };
  const at = r.pos;
  const count = r.number(4);
  if (type === 'Array<uint8>') return r.take(count, at).toString('hex'); // UBI-ARR-4
  if (args[0]) {
    const element = name === 'Array' ? args[0] : `Pair<${args}>`;
    return r.array(count, least(element), at, () => read(element, r));
  }
  const data = r.take(count * STRINGS[type], at);
  if (type === 'BasicWString') return textTree(wtf8(data, r.order));
  return textTree(type === 'EncryptedString' ? swizzle(data) : data);
}

function write(type, tree, order) {
  if (type in FIXED) return writeFixed(FIXED[type], tree, order);
  if (type in OPERATIONS) return OPERATIONS[type].write([...'xyzw'].map((name) => floatBits(tree[name])), order);
  if (type === 'FileMagic') {
    if (!MAGICS.includes(tree)) throw range(`expected one of ${MAGICS}`);
    return Buffer.from(tree);
  }
  const [name, args] = split(type);
  if (name === 'Pair') return Buffer.concat([write(args[0], tree.k, order), write(args[1], tree.v, order)]);
  if (type === 'Array<uint8>') {
    const data = Buffer.from(tree, 'hex');
    return Buffer.concat([number(data.length, 4, order), data]);
  }
  if (args[0]) {
    const element = name === 'Array' ? args[0] : `Pair<${args}>`;
    return Buffer.concat([number(tree.length, 4, order), ...tree.map((item) => write(element, item, order))]);
  }
  let data = textBytes(tree);
  if (type === 'BasicWString') data = utf16(data, order);
  if (type === 'EncryptedString') data = swizzle(data);
  return Buffer.concat([number(data.length / STRINGS[type], 4, order), data]);
}

// Conversions between stored codes and a Quaternion. Numbers are binary64, so
// only values that the record stores as binary32 are rounded.

function read3U16(r) {
  const [x, y, z] = Array.from({ length: 3 }, () => Math.fround(r.number(2) * (1.0 / 32767.0) - 1.0)); // UBI-3U16Q-1
  const rest = Math.fround(1.0 - x * x - y * y - z * z); // UBI-3U16Q-2
  return [x, y, z, rest > 0 ? Math.sqrt(rest) : 0].map(toBits32);
}

function write3U16(bits, order) {
  const [x, y, z, w] = bits.map(fromBits32);
  return Buffer.concat([x, y, z].map((c) => {
    const code = (w < 0 ? 1.0 - c : 1.0 + c) * 32767.0; // UBI-3U16Q-3
    // UBI-3U16Q-4; also false for NaN.
    if (!(code > -1 && code < 65536)) throw range(`${c} has no code`);
    return number(Math.trunc(code), 2, order);
  }));
}

const ROOT = fromBits32(0x3f3504f3); // UBI-U32Q-1
const SCALE = fromBits32(0x3ab504f3);

function readU32(r) {
  const code = r.number(4);
  const [a, b, c] = [20, 10, 0].map((shift) => Math.fround(((code >>> shift) & 0x3ff) * SCALE - ROOT)); // UBI-U32Q-2
  const rest = 1.0 - a * a - b * b - c * c; // UBI-U32Q-3
  const out = [a, b, c].map(toBits32);
  out.splice(code >>> 30, 0, rest >= 0 ? toBits32(Math.sqrt(rest)) : 0x7fc00000); // UBI-U32Q-4, UBI-U32Q-5
  return out;
}

function writeU32(bits, order) {
  let q = bits.map(fromBits32);
  if (!q.every(Number.isFinite) || q.every((e) => e === 0)) {
    throw range('not a rotation'); // UBI-U32Q-7
  }
  const length = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); // UBI-U32Q-6
  q = q.map((e) => Math.fround(e / length));
  const g = q.map(Math.abs).lastIndexOf(Math.max(...q.map(Math.abs))); // UBI-U32Q-8
  if (q[g] < 0) q = q.map((e) => -e); // UBI-U32Q-9
  const codes = q.map((e) => Math.min(1023, Math.trunc((e + ROOT) * (1.0 / SCALE) + 0.000025))); // UBI-U32Q-10
  codes.splice(g, 1);
  return number(codes.reduce((code, c) => code * 1024 + c, g), 4, order);
}

const OPERATIONS = {
  'CompressedQuaternion3U16.Quaternion': { read: read3U16, write: write3U16 },
  'CompressedQuaternionU32.Quaternion': { read: readU32, write: writeU32 },
};

function decode(name, data, { order }) {
  const r = new Reader(data, order);
  return r.finish(read(name.replace(/^ubi\./, ''), r));
}

const encode = (name, tree, { order }) => write(name.replace(/^ubi\./, ''), tree, order);

// The code supports any arguments. hello lists the types that the judge requests.
const GENERIC = `Array<uint32> Array<uint16> Array<uint8> Array<Vector3> Array<Matrix44> Array<BasicString>
  Array<EncryptedString> Array<CompressedQuaternionU32> Array<Array<uint32>> PairArray<uint32,uint32> PairArray<BasicString,BasicString>
  PairArray<BasicString,Array<Vector3>> Pair<uint32,float32> Pair<BasicString,Vector3>`.split(/\s+/);
const TYPES = ['FileMagic', ...Object.keys({ ...NAMED, ...STRINGS, ...OPERATIONS }), ...GENERIC];

serve({ name: 'ubi', profile: 'observed', types: TYPES.map((t) => `ubi.${t}`) }, decode, encode);
