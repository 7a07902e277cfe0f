#!/usr/bin/env node
// The DAVA Keyed Archive, written from the records of ka alone.
//
// Follows the observed profile. Types are names, values are trees. How a text
// is stored depends on the archive around it, so there is a scope to everything.
import { Reject, range, serve } from './protocol.mjs';
import { Reader, characters, number, readFixed, readUtf32, textBytes, textTree, writeFixed } from './values.mjs';

// table: of fast names, by id; null where none is in force. ids: texts are
// numbers that stand in the table. level: of archives and arrays, KA-ARC-6.
const PLAIN = { table: null, ids: false, level: 0 };
// Parts that are read as if an empty table were in force, KA-P2-3 and KA-V102-3.
const EMPTY = { table: new Map(), ids: true, level: 0 };
const ALONE = { BodyV0x0002Pair: EMPTY, BodyV0x0102: EMPTY, BodyV0x0102Pair: EMPTY };

function deeper(scope, at) {
  if (scope.level === 64) throw new Reject('limit', at, 'more than 64 levels');
  return { ...scope, level: scope.level + 1 };
}

/** The scope of the pairs of an archive. */
function inside(scope, version, rows) {
  if (version === '0x0001') return { ...scope, table: null, ids: false }; // ka.registry-scope: a table ends here
  if (version === '0x0102') return { ...scope, ids: true };
  // KA-ARC-8; of rows with one id the last counts, ka.duplicate-id.
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
const COUNTED = { FastNameString: 2, ByteArray: 4 }; // and the bytes that the length takes
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
    if (type === 'NONE') throw new Reject('kind', at, 'no such type'); // ka.none
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
    if (r.take(2).toString('latin1') !== 'KA') throw new Reject('magic', at, 'no tag');
    const version = `0x${r.number(2).toString(16).padStart(4, '0')}`;
    if (!VERSIONS.includes(version)) throw new Reject('version', at + 2, `no version ${version}`);
    return { version };
  }
  const within = deeper(scope, at);
  if (kind === 'Array') return r.many(r.number(4), 1, at, () => read('Value', r, within));
  if (kind === 'KeyedArchive') {
    const [length, around] = [r.number(4), r.end];
    r.promise(length, at);
    r.end = r.pos + length; // KA-NEST-2
    const tree = readArchive(r, within);
    if (r.left) throw new Reject('value', at, `${r.left} bytes left over within the length`);
    r.end = around;
    return tree;
  }
  return kind === 'Archive' ? readArchive(r, within) : readBody(kind.slice(5), r, within);
}

function readText(kind, r, scope) {
  const [at, n] = [r.pos, r.number(4)];
  if (scope.ids) return { text: textTree(scope.table.get(n) ?? NOTHING), id: String(n) }; // KA-V2-3; ka.unknown-id
  const wide = kind === 'WideString';
  r.promise(wide ? 4 * n : n, at);
  return { text: textTree(wide ? readUtf32(r, n) : r.take(n)), id: null };
}

function readArchive(r, scope) {
  const { version } = read('Header', r, scope);
  if (version === '0x0102' && !scope.table) { // KA-ARC-9
    throw new Reject('reference', r.pos - 2, 'no table of fast names is in force');
  }
  return { version, fastNames: null, children: [], ...(version === '0xff02' ? {} : readBody(version, r, scope)) };
}

function readBody(version, r, scope) {
  const tree = {};
  if (version === '0x0002') {
    const names = r.many(r.number(4), 6, r.pos - 4, () => read('FastNameString', r, scope));
    tree.fastNames = names.map((name) => ({ id: String(r.number(4)), name }));
  }
  const within = inside(scope, version, tree.fastNames);
  tree.children = r.many(r.number(4), within.ids ? 5 : 6, r.pos - 4, () => read('Pair', r, within));
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
    if (tree.type === 'NONE') throw range('NONE is no type');
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
    if (!VERSIONS.includes(tree.version)) throw range(`no version ${tree.version}`);
    return Buffer.concat([Buffer.from('KA'), number(tree.version, 2)]);
  }
  const within = deeper(scope);
  if (kind === 'Array') {
    return Buffer.concat([number(tree.length, 4), ...tree.map((item) => write('Value', item, within))]);
  }
  if (kind.startsWith('Body')) return writeBody(kind.slice(5), tree, within);
  if (tree.version === '0x0102' && !scope.table) throw range('no table of fast names is in force');
  const data = Buffer.concat([write('Header', tree, within), writeBody(tree.version, tree, within)]);
  return kind === 'Archive' ? data : Buffer.concat([number(data.length, 4), data]);
}

function writeText(kind, { text, id }, scope) {
  if ((id !== null) !== scope.ids) throw range('a text in place has no id, any other has one'); // KA-VAL-3
  const data = textBytes(text);
  if (scope.ids) {
    if (!data.equals(scope.table.get(Number(id)) ?? NOTHING)) throw range('the table has another text'); // KA-STR-4
    return number(id, 4);
  }
  const parts = kind === 'WideString' ? characters(data).map((c) => number(c, 4)) : [data];
  return Buffer.concat([number(kind === 'WideString' ? parts.length : data.length, 4), ...parts]);
}

function writeBody(version, { fastNames = null, children }, scope) {
  if ((fastNames !== null) !== (version === '0x0002')) throw range('fast names belong into 0x0002'); // KA-ARC-10
  if (version === '0xff02') {
    if (children.length) throw range('children in 0xff02');
    return NOTHING;
  }
  const within = inside(scope, version, fastNames);
  const rows = fastNames ?? [];
  return Buffer.concat([
    fastNames ? number(rows.length, 4) : NOTHING,
    ...rows.map((row) => write('FastNameString', row.name, scope)),
    ...rows.map((row) => number(row.id, 4)),
    number(children.length, 4),
    ...children.map((child) => write('Pair', child, within)),
  ]);
}

const TYPES = [...KINDS, ...Object.keys(ALONE), 'Archive', 'Header', 'Pair', 'Value', 'ValueHeader', 'FastNameString',
  'BodyV0x0001', 'BodyV0x0002', 'BodyV0xff02'];

function decode(name, data) {
  const kind = name.slice(3);
  const r = new Reader(data);
  return r.finish(read(kind, r, ALONE[kind] ?? PLAIN));
}

const encode = (name, tree) => write(name.slice(3), tree, ALONE[name.slice(3)] ?? PLAIN);

serve({ name: 'ka', profile: 'observed', types: TYPES.map((t) => `ka.${t}`) }, decode, encode);
