#!/usr/bin/env node
// The data types and the tables of Unreal Engine 1 and 2 packages, written only
// from the records of upkg. The profile is observed.
//
// A type is represented by its name, a value by its tree. v is the version of
// the package.
import { isDeepStrictEqual } from 'node:util';
import { Reject, range, serve } from './protocol.mjs';
import { Reader, number, textBytes, textTree, utf16, wtf8 } from './values.mjs';

const INTEGERS = {}; // size, and whether the integer is signed
for (const n of [1, 2, 4, 8]) Object.assign(INTEGERS, { [`int${8 * n}`]: [n, true], [`uint${8 * n}`]: [n, false] });
const REFERENCES = { ObjectReference: 'CompactIndex', PlainReference: 'int32' }; // and the type of the stored number
const CHECKED = { // integers with invalid values: stored type, condition, class of a rejection
  Signature: ['uint32', (n) => n === 0x9e2a83c1 || n === 0x9e2a83c2, 'magic'],
  Version: ['uint16', (n) => n <= 178, 'version'],
  Size: ['CompactIndex', (n) => n >= 0, 'value'],
};
const GROUPS_FROM = 50; // the versions from which PlainReference and
const HERITAGES_FROM = 42; // the heritages are stored
// name:type; for an optional field :other:least:greatest, the values of a field, or of v, with which it is present
const RECORDS = {
  Header: 'signature:Signature version:Version licensee:uint16 flags:uint32 nameCount:uint32 nameOffset:uint32 '
    + 'exportCount:uint32 exportOffset:uint32 importCount:uint32 importOffset:uint32 '
    + 'heritage:Heritage:version:0:67 identity:Identity:version:68:178',
  Heritage: 'count:uint32 offset:uint32',
  Identity: 'guid:Guid generations:Generations',
  Generation: 'exportCount:uint32 nameCount:uint32',
  NameEntry: 'name:Name flags:uint32',
  ImportEntry: 'classPackage:CompactIndex className:CompactIndex package:PlainReference '
    + 'packageName:CompactIndex:v:0:49 objectName:CompactIndex',
  ExportEntry: 'class:ObjectReference super:ObjectReference group:PlainReference objectName:CompactIndex '
    + 'objectFlags:uint32 serialSize:Size serialOffset:CompactIndex:serialSize:1:2147483647',
};

/** Name and type of each field, and whether it is present. */
function* fields(type, tree, v) {
  for (const field of RECORDS[type].split(' ')) {
    const [name, of, by, least, greatest] = field.split(':');
    const value = by === 'v' ? v : Number(tree[by]);
    yield [name, of, !by || (value >= Number(least) && value <= Number(greatest))];
  }
}

const isStored = (type, v) => type !== 'PlainReference' || v >= GROUPS_FROM;

function read(type, r, v) {
  const at = r.pos;
  let tree = {};
  if (type in RECORDS) {
    for (const [name, of, present] of fields(type, tree, v)) tree[name] = present ? read(of, r, v) : null;
  } else if (type in INTEGERS) {
    tree = String(r.big(...INTEGERS[type]));
  } else if (type in CHECKED) {
    const [stored, valid, errorClass] = CHECKED[type];
    tree = read(stored, r, v);
    if (!valid(Number(tree))) throw new Reject(errorClass, at, `invalid ${type} ${tree}`);
  } else if (type in REFERENCES) {
    const value = isStored(type, v) ? Number(read(REFERENCES[type], r, v)) : 0;
    const table = value < 0 ? 'import' : value > 0 ? 'export' : 'null'; // UPKG-REF-2 to 4
    tree = { table, entry: String(value < 0 ? ~value : Math.max(value - 1, 0)) };
  } else if (type === 'Guid') {
    tree = r.take(16).toString('hex');
  } else if (type === 'Generations') {
    tree = r.array(r.number(4), 8, at, () => read('Generation', r, v)); // UPKG-HDR-6
  } else {
    tree = { CompactIndex: readIndex, Name: readName, Package: readLicensed }[type](r, v);
  }
  // UPKG-PKG-13: a name replaces its length, which has the same offset.
  if (r.kept && /^(CompactIndex|Name)$/.test(type) && !write(type, tree, v).equals(r.data.subarray(at, r.pos))) {
    r.kept.set(at, r.data.subarray(at, r.pos));
  }
  return tree;
}

function write(type, tree, v) {
  if (type in RECORDS) {
    return Buffer.concat([...fields(type, tree, v)].map(([name, of, present]) => {
      if ((tree[name] !== null) !== present) throw range(`${name} is missing or must be absent`);
      return present ? write(of, tree[name], v) : Buffer.alloc(0);
    }));
  }
  if (type in INTEGERS) return number(tree, INTEGERS[type][0], 'little', INTEGERS[type][1]);
  if (type in CHECKED) {
    const [stored, valid] = CHECKED[type];
    if (!valid(Number(tree))) throw range(`invalid ${type} ${tree}`);
    return write(stored, tree, v);
  }
  if (type in REFERENCES) {
    const entry = BigInt(tree.entry); // 64 bits wide
    if (tree.table === 'null' && entry) throw range('expected entry 0 in a null reference'); // UPKG-REF-6
    if (!isStored(type, v)) {
      if (tree.table !== 'null') throw range(`expected null in version ${v}`); // UPKG-IMP-2, UPKG-EXP-2
      return Buffer.alloc(0);
    }
    return write(REFERENCES[type], { null: 0n, import: ~entry, export: entry + 1n }[tree.table], v);
  }
  if (type === 'Guid') return Buffer.from(tree, 'hex');
  if (type === 'Generations') {
    return Buffer.concat([number(tree.length, 4), ...tree.map((generation) => write('Generation', generation, v))]);
  }
  return { CompactIndex: writeIndex, Name: writeName, Package: writePackage }[type](tree, v);
}

function readIndex(r) {
  const at = r.pos;
  const [first] = r.take(1);
  let magnitude = first & 0x3f; // UPKG-CI-2
  let more = first & 0x40;
  for (let shift = 6; more && shift <= 27; shift += 7) { // UPKG-CI-3, UPKG-CI-4
    const [byte] = r.take(1, at);
    magnitude |= (byte & 0x7f) << shift; // shifts have 32 bits, as upkg.ci-range requires
    more = byte & 0x80;
  }
  return String((first & 0x80 ? -magnitude : magnitude) | 0); // UPKG-CI-1
}

function writeIndex(tree) {
  const value = Number(BigInt.asIntN(32, BigInt(tree)));
  if (BigInt(value) !== BigInt(tree)) throw range(`${tree} does not fit 32 bits`); // UPKG-CI-7
  const magnitude = Math.abs(value);
  let rest = magnitude >>> 6;
  const out = [(value < 0 ? 0x80 : 0) | (rest ? 0x40 : 0) | (magnitude & 0x3f)];
  for (; rest; rest >>>= 7) out.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return Buffer.from(out);
}

function readName(r, v) {
  const at = r.pos;
  if (v < 64) { // UPKG-NAME-1
    const end = r.data.indexOf(0, at) + 1 || r.end + 1; // without a NUL: one byte more than remain
    return { text: textTree(r.take(end - at, at).subarray(0, -1)), wide: false };
  }
  const length = Number(read('CompactIndex', r, v));
  if (length === 0) return { text: '', wide: false }; // upkg.name-length-zero
  const unit = length > 0 ? 1 : 2; // UPKG-NAME-5
  const text = r.take(Math.abs(length) * unit, at);
  if (text.subarray(-unit).some((b) => b)) throw new Reject('value', r.pos - unit, 'expected a NUL at the end'); // UPKG-NAME-6
  return { text: textTree(unit === 2 ? wtf8(text.subarray(0, -2)) : text.subarray(0, -1)), wide: unit === 2 };
}

function writeName({ text, wide }, v) {
  const bytes = textBytes(text);
  if (v < 64 && (wide || bytes.includes(0))) throw range('wide text, or text with a NUL'); // UPKG-NAME-10
  const data = Buffer.concat([wide ? utf16(bytes) : bytes, Buffer.alloc(wide ? 2 : 1)]);
  return v < 64 ? data : Buffer.concat([writeIndex(wide ? -data.length / 2 : data.length), data]);
}

// Field of the tree, type of an entry, its smallest size below version 50 and from there on, offset of the count in the header.
const TABLES = [['names', 'NameEntry', [5, 5], 12], ['exports', 'ExportEntry', [8, 12], 20], ['imports', 'ImportEntry', [4, 7], 28], ['heritages', 'Guid', [16, 16], 36]];

function countAndOffset(header, name) {
  if (name === 'heritages') {
    const stored = Number(header.version) >= HERITAGES_FROM && header.heritage; // UPKG-PKG-11
    return stored ? [Number(stored.count), Number(stored.offset)] : [0, 0];
  }
  return ['Count', 'Offset'].map((field) => Number(header[name.slice(0, -1) + field]));
}

// UPKG-PKG-10: least and greatest version, least and greatest licensee, game.
const LICENSEES = [
  [100, 100, 0, 0, 'a fork of Unreal Engine'], [100, 100, 9, 22, 'Splinter Cell'], [102, 102, 28, 28, 'Splinter Cell'],
  [141, 146, 61447, 61447, 'Advent Rising'], [145, 151, 0, 0, 'Unreal Championship 2'],
  [100, 102, 83, 65535, 'Splinter Cell'], [117, 119, 28, 30, 'Unreal Championship'], [119, 119, 37159, 37159, 'Pariah'],
  [128, 128, 32, 33, "America's Army 2"], [130, 143, 56, 59, 'BioShock'], [151, 159, 1, 1, 'Republic Commando'],
];

function readLicensed(r, v) {
  let tree;
  let fault;
  try {
    tree = readPackage(r, v);
  } catch (e) {
    if (!(e instanceof Reject) || e.kind === 'magic' || r.data.length < 8) throw e;
    fault = e;
  }
  if (fault || tree.encodings) {
    const [version, licensee] = [4, 6].map((at) => r.data.readUInt16LE(at));
    const own = LICENSEES.find(([first, last, least, most]) => version >= first && version <= last && licensee >= least && licensee <= most);
    if (own) throw new Reject('unsupported', 6, `a layout of ${own[4]}`);
  }
  if (fault) throw fault;
  return tree;
}

function readPackage(r, v) {
  const tree = { header: read('Header', r, v), names: [], imports: [], exports: [], heritages: [], data: [], encodings: null };
  const spans = [{ start: 0, stop: r.pos }];
  const version = Number(tree.header.version);
  r.kept = new Map(); // encodings in tables that a writer would not choose, by their offsets
  for (const [name, type, least, at] of TABLES) {
    const [count, start] = countAndOffset(tree.header, name);
    if (!count) continue;
    if (start > r.end) throw new Reject('reference', at + 4, `${name} start after the end`); // UPKG-PKG-3
    r.pos = start;
    tree[name] = r.array(count, least[Number(version >= GROUPS_FROM)], at, () => read(type, r, version)); // UPKG-PKG-4
    spans.push({ start, stop: r.pos, at: at + 4 });
  }
  spans.sort((a, b) => a.start - b.start).push({ start: r.end, stop: r.end });
  let end = 0;
  for (const { start, stop, at } of spans) {
    if (start < end) throw new Reject('reference', at, 'tables or header overlap'); // UPKG-PKG-5
    if (start > end) tree.data.push({ offset: String(end), bytes: r.data.toString('hex', end, start) }); // UPKG-PKG-7
    end = stop;
  }
  r.pos = r.end;
  const kept = [...r.kept].sort(([a], [b]) => a - b);
  if (kept.length) tree.encodings = kept.map(([offset, stored]) => ({ offset: String(offset), bytes: stored.toString('hex') }));
  return tree;
}

/** The bytes of a table, with the kept encodings at their offsets. */
function writeRows(type, rows, v, start, kept) {
  const out = [];
  let end = start;
  for (const row of rows) {
    const parts = [[type, row]];
    if (kept.size && type in RECORDS) {
      write(type, row, v); // checks which fields are present
      parts.splice(0, 1, ...[...fields(type, row, v)].filter((field) => field[2]).map(([name, of]) => [of, row[name]]));
    }
    for (const [of, tree] of parts) {
      let data = write(of, tree, v);
      const stored = kept.get(end);
      if (stored) {
        if (stored.equals(data) || !decodesTo(of, stored, v, tree)) throw range('not another encoding of the value'); // UPKG-PKG-13
        kept.delete(end);
        data = stored;
      }
      out.push(data);
      end += data.length;
    }
  }
  return Buffer.concat(out);
}

function writePackage(tree, v) { // UPKG-PKG-8
  const pieces = [{ start: 0, data: write('Header', tree.header, v) }];
  const kept = new Map();
  for (const { offset, bytes } of tree.encodings ?? []) {
    if (Number(offset) <= Math.max(-1, ...kept.keys())) throw range('encodings are not in order');
    kept.set(Number(offset), Buffer.from(bytes, 'hex'));
  }
  for (const [name, type] of TABLES) {
    const [count, start] = countAndOffset(tree.header, name);
    if (count !== tree[name].length) throw range(`expected ${count} ${name}, found ${tree[name].length}`);
    const data = writeRows(type, tree[name], Number(tree.header.version), start, kept);
    if (count) pieces.push({ start, data });
  }
  if (kept.size) throw range('an encoding is not at an index or a name');
  let before = 0;
  for (const { offset, bytes } of tree.data) {
    const [start, data] = [Number(offset), Buffer.from(bytes, 'hex')];
    if (!data.length || start <= before) throw range('a chunk is empty, not in order, or adjacent to another');
    pieces.push({ start, data });
    before = start + data.length;
  }
  let end = 0;
  for (const { start, data } of pieces.sort((a, b) => a.start - b.start)) {
    if (start !== end) throw range('parts overlap or leave a gap');
    end += data.length;
  }
  return Buffer.concat(pieces.map((piece) => piece.data));
}

const TYPES = 'CompactIndex Name ObjectReference Header NameEntry ImportEntry ExportEntry Package'.split(' ');
TYPES.push(...Object.keys(INTEGERS).map((n) => `Integer<${n}>`));
const bare = (name) => name.replace(/^upkg\.(Integer<)?|>$/g, '');

function decodeAll(type, data, v) {
  const r = new Reader(data);
  return r.finish(read(type, r, v));
}

function decodesTo(type, data, v, tree) {
  try {
    return isDeepStrictEqual(decodeAll(type, data, v), tree);
  } catch (e) {
    if (e instanceof Reject) return false;
    throw e;
  }
}

const decode = (name, data, { version = 69 }) => decodeAll(bare(name), data, Number(version));

const encode = (name, tree, { version = 69 }) => write(bare(name), tree, Number(version));

serve({ name: 'upkg', profile: 'observed', types: TYPES.map((n) => `upkg.${n}`) }, decode, encode);
