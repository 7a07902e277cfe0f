#!/usr/bin/env node
// Adapter for UTReader of UTPackage.js.
//
//   adapter.mjs FOLDER    the folder of UTPackage.js
//
// The reader is run as it is and reads everything. It has no functions for
// parts: a lone name, row or index is read as the only one of a package's
// table, through the reader's own functions for tables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { Reject, serve } from '../../examples/adapters/javascript/protocol.mjs';

globalThis.window = {};
const path = join(process.argv[2], 'UTReader.js');
runInThisContext(readFileSync(path, 'utf8'), path);

/** A reader of a package of which there is nothing but the header. */
function reader(header, ...bytes) {
  const data = Buffer.concat(bytes);
  const one = new window.UTReader(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
  one.header = header;
  return one;
}

const hex = (guid) => guid.match(/../g).reverse().join('').toLowerCase();

function header(h) {
  const counts = ({ export_count, name_count }) => ({ exportCount: String(export_count), nameCount: String(name_count) });
  return {
    signature: String(h.signature),
    version: String(h.version),
    licensee: String(h.licensee_version),
    flags: String(h.package_flags),
    ...counts(h),
    nameOffset: String(h.name_offset),
    exportOffset: String(h.export_offset),
    importCount: String(h.import_count),
    importOffset: String(h.import_offset),
    heritage: h.heritage_count === undefined ? null : { count: String(h.heritage_count), offset: String(h.heritage_offset) },
    // The GUID is kept as four numbers in hexadecimal.
    identity: h.guid === undefined ? null : { guid: h.guid.match(/.{8}/g).map(hex).join(''), generations: h.generations.map(counts) },
  };
}

// Names are single bytes in this reader, never UTF-16.
const name = ({ name: text, flags }) => ({ name: { text, wide: false }, flags: String(flags) });

/** What the reader looks up for an index, in tables that tell what was asked of them. */
function reference(index) {
  const table = (table) => new Proxy({}, { get: (_, entry) => ({ table, entry }) });
  const one = reader({});
  Object.assign(one, { importTable: table('import'), exportTable: table('export') });
  return one.getObject(index) ?? { table: 'null', entry: '0' };
}

const importRow = (row) => ({
  classPackage: String(row.class_package_index),
  className: String(row.class_name_index),
  package: reference(row.package_index),
  objectName: String(row.object_name_index),
});

const exportRow = (row) => ({
  class: reference(row.class_index),
  super: reference(row.super_index),
  group: reference(row.package_index),
  objectName: String(row.object_name_index),
  objectFlags: String(row.object_flags),
  serialSize: String(row.serial_size),
  serialOffset: row.hasData ? String(row.serial_offset) : null,
});

// The last field of an import row is a compact index.
const ZEROS = Buffer.alloc(6);
const FLAGS = Buffer.alloc(4);

function lastIndex(data) {
  const one = reader({ import_count: 1, import_offset: 0 }, ZEROS, data);
  return { value: one.getImportTable()[0].object_name_index, end: one.offset - ZEROS.length };
}

function firstName(data, version, ...after) {
  const one = reader({ version, name_count: 1, name_offset: 0 }, data, ...after);
  return { tree: name(one.getNameTable()[0]), end: one.offset - Buffer.concat(after).length };
}

// Each gives the tree, and where the reader stopped.
const TYPES = {
  'upkg.CompactIndex': (data) => {
    const { value, end } = lastIndex(data);
    return { tree: String(value), end };
  },
  'upkg.ObjectReference': (data) => {
    const { value, end } = lastIndex(data);
    return { tree: reference(value), end };
  },
  'upkg.Name': (data, version) => {
    // Alone it has no flags after it; the reader wants some.
    const { tree, end } = firstName(data, version, FLAGS);
    return { tree: tree.name, end };
  },
  'upkg.NameEntry': (data, version) => firstName(data, version),
  'upkg.Header': (data) => {
    const one = reader({}, data);
    return { tree: header(one.getPackageHeader()), end: one.offset };
  },
  'upkg.ImportEntry': (data) => {
    const one = reader({ import_count: 1, import_offset: 0 }, data);
    return { tree: importRow(one.getImportTable()[0]), end: one.offset };
  },
  'upkg.ExportEntry': (data) => {
    const one = reader({ export_count: 1, export_offset: 0 }, data);
    return { tree: exportRow(one.getExportTable()[0]), end: one.offset };
  },
  // What lies between the tables is not kept: there is no field data. The heritages are not read: they are
  // known if the header counts none.
  'upkg.Package': (data) => {
    const one = reader({}, data).readPackage();
    const tree = {
      header: header(one.header),
      names: one.nameTable.map(name),
      imports: one.importTable.map(importRow),
      exports: one.exportTable.map(exportRow),
      heritages: one.header.heritage_count ? null : [],
    };
    return { tree, end: data.length };
  },
};

function decode(type, data, { version = 69 }) {
  let read;
  try {
    read = TYPES[type](data, Number(version));
  } catch (e) {
    // The reader throws a text for the signature, and lets DataView throw at the end of the data.
    if (/^Invalid package signature/.test(e)) throw new Reject('magic', undefined, e);
    if (e instanceof RangeError && /outside the bounds/.test(e.message)) throw new Reject('truncated', undefined, e.message);
    throw e;
  }
  if (read.end < data.length) throw new Reject('trailing', read.end, 'the reader stopped here');
  return read.tree;
}

serve({
  name: 'utpackage.js',
  version: '3c1a5f1',
  types: Object.keys(TYPES),
  operations: ['decode'],
  profile: 'observed,upkg.ci-range=documented,upkg.name-length-kind=documented,upkg.name-terminator=drop,upkg.tag=strict',
  views: ['upkg.tables', 'upkg.no-heritages'],
  skips: [{ type: 'upkg.Integer', reason: 'plain integers are read by DataView, not by the reader' }],
}, decode);
