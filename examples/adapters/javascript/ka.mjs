#!/usr/bin/env node
// The DAVA Keyed Archive, written only from the records of ka.
//
// The profile is observed. A type is represented by its name, a value by its
// tree. The encoding of a text depends on the archive that contains it, so every
// function has a scope.
import { Reject, range, serve } from './protocol.mjs';
import { Reader, characters, number, readFixed, readUtf32, textBytes, textTree, writeFixed } from './values.mjs';

// table: fast names by id; null if no table applies. ids: texts are stored as
// ids of the table. level: depth of nested archives and arrays, KA-ARC-6.
const PLAIN = { table: null, ids: false, level: 0 };
// Types that are decoded as if an empty table applied, KA-P2-3 and KA-V102-3.
const EMPTY = { table: new Map(), ids: true, level: 0 };
const EMPTY_TABLE = { BodyV0x0002Pair: EMPTY, BodyV0x0102: EMPTY, BodyV0x0102Pair: EMPTY };

function nested(scope, at) {
  if (scope.level === 64) throw new Reject('limit', at, 'more than 64 levels');
  return { ...scope, level: scope.level + 1 };
}

/** The scope of the pairs of an archive. */
function ofPairs(scope, version, rows) {
  if (version === '0x0001') return { ...scope, table: null, ids: false }; // ka.registry-scope: no table applies
  if (version === '0x0102') return { ...scope, ids: true };
  // KA-ARC-8; of entries with one id the last applies, ka.duplicate-id.
  return { ...scope, table: new Map(rows.map(({ id, name }) => [Number(id), textBytes(name)])), ids: true };
}

// In the order of their type ids, KA-VH-1 and KA-VH-2.
const LABELS = `NONE BOOLEAN INT32 FLOAT STRING WIDE_STRING BYTE_ARRAY UINT32 KEYED_ARCHIVE INT64 UINT64 VECTOR2 VECTOR3
  VECTOR4 MATRIX2 MATRIX3 MATRIX4 COLOR FASTNAME AABBOX3 FILEPATH FLOAT64 INT8 UINT8 INT16 UINT16 RECT ARRAY
  QUATERNION TRANSFORM AABBOX2`.split(/\s+/);
const KINDS = `None Boolean Int32 Float String WideString ByteArray Uint32 KeyedArchive Int64 Uint64 Vector2 Vector3
  Vector4 Matrix2 Matrix3 Matrix4 Color FastName AABBox3 FilePath Float64 Int8 Uint8 Int16 Uint16 Rect Array
  Quaternion Transform AABBox2`.split(/\s+/);
const kindOf = (label) => KINDS[LABELS.indexOf(label)];

const floats = (...names) => Object.fromEntries(names.map((name) => [name, 'f4']));
const matrix = (n) => Array.from({ length: n }, () => Array(n).fill('f4'));
const [VECTOR2, VECTOR3, VECTOR4] = [floats('x', 'y'), floats('x', 'y', 'z'), floats('x', 'y', 'z', 'w')];
const FIXED = {
  None: {}, BodyV0xff02: {}, Boolean: 'u1', Int8: 'i1', Uint8: 'u1', Int16: 'i2', Uint16: 'u2', Int32: 'i4',
  Uint32: 'u4', Int64: 'i8', Uint64: 'u8', Float: 'f4', Float64: 'f8',
  Vector2: VECTOR2, Vector3: VECTOR3, Vector4: VECTOR4,
  Matrix2: matrix(2), Matrix3: matrix(3), Matrix4: matrix(4), Color: floats('r', 'g', 'b', 'a'),
  Quaternion: VECTOR4, Transform: { position: VECTOR3, scale: VECTOR3, quaternion: VECTOR4 },
  AABBox3: { minimum: VECTOR3, maximum: VECTOR3 }, AABBox2: { minimum: VECTOR2, maximum: VECTOR2 },
  Rect: floats('x', 'y', 'dx', 'dy'),
};
const NOTHING = Buffer.alloc(0);
const TEXTS = ['String', 'WideString', 'FastName', 'FilePath'];
const COUNTED = { FastNameString: 2, ByteArray: 4 }; // and the size of the length in bytes
const VERSIONS = ['0x0001', '0x0002', '0x0102', '0xff02'];

function read(kind, r, scope) {
  const at = r.pos;
  if (kind in FIXED) return readFixed(FIXED[kind], r);
  if (TEXTS.includes(kind)) return readText(kind, r, scope);
  if (kind in COUNTED) {
    const data = r.take(r.number(COUNTED[kind]), at);
    return kind === 'ByteArray' ? data.toString('hex') : textTree(data);
  }
  if (kind === 'ValueHeader') {
    const type = LABELS[r.number(1)] ?? 'NONE';
    if (type === 'NONE') throw new Reject('kind', at, 'the type id does not exist'); // ka.none
    return { type };
  }
  if (kind === 'Value') {
    const { type } = read('ValueHeader', r, scope);
    return { type, value: read(kindOf(type), r, scope) };
  }
  if (kind.endsWith('Pair')) {
    const { type } = scope.ids ? { type: 'STRING' } : read('ValueHeader', r, scope);
    // ka.key-type
    if (type !== 'STRING' && type !== 'WIDE_STRING') throw new Reject('kind', at, `a key of type ${type}`);
    const key = { type, value: readText(kindOf(type), r, scope) };
    return { key, value: read('Value', r, scope) };
  }
  if (kind === 'Header') {
    if (r.take(2).toString('latin1') !== 'KA') throw new Reject('magic', at, 'expected the tag KA');
    const version = `0x${r.number(2).toString(16).padStart(4, '0')}`;
    if (!VERSIONS.includes(version)) throw new Reject('version', at + 2, `version ${version} does not exist`);
    return { version };
  }
  const within = nested(scope, at);
  if (kind === 'Array') return r.array(r.number(4), 1, at, () => read('Value', r, within));
  if (kind === 'KeyedArchive') {
    const [length, outerEnd] = [r.number(4), r.end];
    r.require(length, at);
    r.end = r.pos + length; // KA-NEST-2
    const tree = readArchive(r, within);
    if (r.remaining) throw new Reject('value', at, `${r.remaining} trailing bytes in the nested archive`);
    r.end = outerEnd;
    return tree;
  }
  return kind === 'Archive' ? readArchive(r, within) : readBody(kind.slice(5), r, within);
}

function readText(kind, r, scope) {
  const [at, n] = [r.pos, r.number(4)];
  if (scope.ids) return { text: textTree(scope.table.get(n) ?? NOTHING), id: String(n) }; // KA-V2-3; ka.unknown-id
  const wide = kind === 'WideString';
  r.require(wide ? 4 * n : n, at);
  return { text: textTree(wide ? readUtf32(r, n) : r.take(n)), id: null };
}

function readArchive(r, scope) {
  const { version } = read('Header', r, scope);
  if (version === '0x0102' && !scope.table) { // KA-ARC-9
    throw new Reject('reference', r.pos - 2, 'no table of fast names applies');
  }
  return { version, fastNames: null, children: [], ...(version === '0xff02' ? {} : readBody(version, r, scope)) };
}

function readBody(version, r, scope) {
  const tree = {};
  if (version === '0x0002') {
    const names = r.array(r.number(4), 6, r.pos - 4, () => read('FastNameString', r, scope));
    tree.fastNames = names.map((name) => ({ id: String(r.number(4)), name }));
  }
  const within = ofPairs(scope, version, tree.fastNames);
  tree.children = r.array(r.number(4), within.ids ? 5 : 6, r.pos - 4, () => read('Pair', r, within));
  return tree;
}

function write(kind, tree, scope) {
  if (kind in FIXED) return writeFixed(FIXED[kind], tree);
  if (TEXTS.includes(kind)) return writeText(kind, tree, scope);
  if (kind in COUNTED) {
    const data = kind === 'ByteArray' ? Buffer.from(tree, 'hex') : textBytes(tree);
    return Buffer.concat([number(data.length, COUNTED[kind]), data]);
  }
  if (kind === 'ValueHeader') {
    if (tree.type === 'NONE') throw range('type NONE');
    return number(LABELS.indexOf(tree.type), 1);
  }
  if (kind === 'Value') {
    return Buffer.concat([write('ValueHeader', tree, scope), write(kindOf(tree.type), tree.value, scope)]);
  }
  if (kind.endsWith('Pair')) {
    const { type, value } = tree.key;
    if (type !== 'STRING' && (scope.ids || type !== 'WIDE_STRING')) throw range(`a key of type ${type}`);
    const key = scope.ids ? write('String', value, scope) : write('Value', tree.key, scope);
    return Buffer.concat([key, write('Value', tree.value, scope)]);
  }
  if (kind === 'Header') {
    if (!VERSIONS.includes(tree.version)) throw range(`version ${tree.version} does not exist`);
    return Buffer.concat([Buffer.from('KA'), number(tree.version, 2)]);
  }
  const within = nested(scope);
  if (kind === 'Array') {
    return Buffer.concat([number(tree.length, 4), ...tree.map((item) => write('Value', item, within))]);
  }
  if (kind.startsWith('Body')) return writeBody(kind.slice(5), tree, within);
  if (tree.version === '0x0102' && !scope.table) throw range('no table of fast names applies');
  const data = Buffer.concat([write('Header', tree, within), writeBody(tree.version, tree, within)]);
  return kind === 'Archive' ? data : Buffer.concat([number(data.length, 4), data]);
}

function writeText(kind, { text, id }, scope) {
  if ((id !== null) !== scope.ids) throw range('expected an id exactly for a stored id'); // KA-VAL-3
  const data = textBytes(text);
  if (scope.ids) {
    if (!data.equals(scope.table.get(Number(id)) ?? NOTHING)) throw range('the id has another text'); // KA-STR-4
    return number(id, 4);
  }
  const parts = kind === 'WideString' ? characters(data).map((c) => number(c, 4)) : [data];
  return Buffer.concat([number(kind === 'WideString' ? parts.length : data.length, 4), ...parts]);
}

function writeBody(version, { fastNames = null, children }, scope) {
  if ((fastNames !== null) !== (version === '0x0002')) throw range('expected fast names in 0x0002 only'); // KA-ARC-10
  if (version === '0xff02') {
    if (children.length) throw range('children in 0xff02');
    return NOTHING;
  }
  const within = ofPairs(scope, version, fastNames);
  const rows = fastNames ?? [];
  return Buffer.concat([
    fastNames ? number(rows.length, 4) : NOTHING,
    ...rows.map((row) => write('FastNameString', row.name, scope)),
    ...rows.map((row) => number(row.id, 4)),
    number(children.length, 4),
    ...children.map((child) => write('Pair', child, within)),
  ]);
}

const TYPES = [...KINDS, ...Object.keys(EMPTY_TABLE), 'Archive', 'Header', 'Pair', 'Value', 'ValueHeader',
  'FastNameString', 'BodyV0x0001', 'BodyV0x0002', 'BodyV0xff02'];

function decode(name, data) {
  const kind = name.slice(3);
  const r = new Reader(data);
  return r.finish(read(kind, r, EMPTY_TABLE[kind] ?? PLAIN));
}

const encode = (name, tree) => write(name.slice(3), tree, EMPTY_TABLE[name.slice(3)] ?? PLAIN);

serve({ name: 'ka', profile: 'observed', types: TYPES.map((t) => `ka.${t}`) }, decode, encode);
