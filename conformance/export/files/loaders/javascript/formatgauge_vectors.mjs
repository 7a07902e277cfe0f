// Vectors of Formatgauge as tests of node:test. docs/native-tests.md says how to use it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FORMAT = 1; // of the files that this loader knows
const nans = { float32: ['(?!.f80{5})[7f]f[89a-f][0-9a-f]{5}', 'nan:7fc00000'], float64: ['(?!.ff0{13})[7f]ff[0-9a-f]{13}', 'nan:7ff8000000000000'] };
const unhex = (text) => Buffer.from(text.replace(/\((\w+)\*(\d+)\)/g, (_, unit, times) => unit.repeat(times)), 'hex');
const byName = (list = []) => Object.fromEntries(list.map((item) => [item.name, item]));
const isRepeat = (v, field) => v !== null && typeof v === 'object' && Object.keys(v).sort().join() === [field, 'repeat'].sort().join();
function expand(tree) { // a tree without repeats
  if (Array.isArray(tree)) return tree.flatMap((v) => (isRepeat(v, 'item') ? Array(Number(v.repeat)).fill(expand(v.item)) : [expand(v)]));
  if (tree === null || typeof tree !== 'object') return tree;
  if (isRepeat(tree, 'text')) return tree.text.repeat(tree.repeat);
  return Object.fromEntries(Object.entries(tree).map(([name, v]) => [name, expand(v)]));
}
function sameFloat(size, want, got) {
  if (!RegExp(`^(nan(:${nans[size][0]})?|-?inf|[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)$`).test(got)) return false;
  if (want === 'nan' || got === 'nan') return got.startsWith('nan') && (want === 'nan' || want === nans[size][1]);
  const value = (text) => (size === 'float32' ? Math.fround(Number(text)) : Number(text));
  return (want + got).includes('n') ? want === got : Object.is(value(want), value(got));
}
function equal(models, part, want, got = null, like = 'tree') {
  if (part.model) part = models[part.model];
  if (want === null || got === null) return want === got;
  const raw = (text) => Object.keys(text).join() === 'hex' && String(text.hex).toLowerCase();
  if (part.kind === 'text') {
    [want, got] = [want, got].map((text) => (typeof text === 'string' ? Buffer.from(text).toString('hex') : raw(text)));
    if (like === 'text' && got !== false && /^(..)*[89a-f]/.test(want)) return true;
  }
  if (typeof want !== typeof got || Array.isArray(want) !== Array.isArray(got)) return false;
  if (part.kind === 'list') return want.length === got.length && want.every((w, i) => equal(models, part.elements, w, got[i], like));
  if (typeof want === 'object' && !Object.keys(got).every((name) => Object.hasOwn(want, name))) return false;
  if (part.kind === 'object') return (part.fields ?? []).every((f) => equal(models, f, want[f.name], got[f.name], like));
  if (part.kind === 'one-of') return want.type === got.type && equal(models, byName(part.variants)[want.type], want.value, got.value, like);
  if (part.kind === 'integer' && like === 'sign' && want !== got) return Math.abs(Number(want) - Number(got)) === 2 ** 32;
  return part.kind === 'float' ? sameFloat(part.number, want, got.replace(/nan:.*/, (nan) => nan.toLowerCase())) : want === (part.kind === 'bytes' ? got.toLowerCase() : got);
}
/** Whether a tree equals that of a vector; false if it is no tree of the type. like is tree, sign, text or any. */
export function compare(vector, got, like = 'tree') {
  try { return like === 'any' || equal(vector.models, vector.file.tree, vector.tree, got, like); } catch { return false; }
}
/** A vector under a profile: one test. */
export class Vector {
  constructor(file, data, profile) {
    const result = data.results?.find((r) => r.profiles.includes(profile));
    const context = { ...file.context, ...data.context }, input = unhex(data.hex ?? ''), models = byName(file.models);
    Object.assign(this, { file, data, profile, result, id: data.id, type: file.type, context, input, models });
  }
  get tree() { return (this.expanded ??= expand(this.result.tree ?? null)); }
  /** The result of an answer: tree, hex (bytes), reject ({ class, offset }), skip or error. */
  judge(op, answer) {
    const permitted = this.result[op], { reject } = answer;
    if ('skip' in answer || (reject?.class === 'unsupported' && !permitted[0].reject)) return 'skip';
    const fits = (a) => {
      const inside = (at) => at === undefined || a.from === undefined || (a.from <= at && at <= a.to);
      if (reject && a.reject) return inside(reject.offset) && (!a.reject.length || !reject.class || a.reject.includes(reject.class));
      if ('tree' in answer) return a.like !== undefined && compare(this, answer.tree, a.like);
      if (!('hex' in answer) || a.reject) return false;
      return a.like === 'any' || Buffer.compare(answer.hex, a.like ? this.input : unhex(a.hex)) === 0;
    };
    return permitted.find(fits)?.result ?? 'fail';
  }
  /** The result, and what to print of it. ask(op, vector) returns an answer; undefined if it lacks the operation. */
  async run(ask) {
    let first = true, acceptable;
    for (const op of ['decode', 'roundtrip', 'encode'].filter((name) => this.result?.[name])) {
      const answer = await ask(op, this), result = answer ? this.judge(op, answer) : 'pass';
      if (result === 'acceptable') acceptable ??= [result, this.explain(op, answer)];
      else if (result === 'fail' || first && result === 'skip') return [result, result === 'skip' ? JSON.stringify(answer) : this.explain(op, answer)];
      first &&= !answer;
    }
    return acceptable ?? (!this.result ? ['not applicable', ''] : first ? ['skip', 'no operation that the vector needs'] : ['pass', '']);
  }
  explain(op, answer) {
    const got = JSON.stringify(answer.hex ? { hex: answer.hex.toString('hex') } : answer);
    const text = [`${this.id}: ${op} under ${this.profile}`, this.data.comment, `expected: ${JSON.stringify(this.result[op])}`];
    if (this.result.tree !== undefined) text.push(`value:    ${JSON.stringify(this.tree)}`);
    const row = ([at, end, note]) => `  ${at.toString(16).padStart(4, '0')}  ${this.input.toString('hex', at, end).replace(/..\B/g, '$& ').padEnd(24)}  ${note}`;
    return [...text, `got:      ${got}`, ...(this.data.spans ?? []).map(row)].join('\n');
  }
}
/** An answer of a reader: decode(type, bytes, context), encode(type, tree, context); isReject(error) says what is a rejection. */
export function call(reader, op, v) {
  try {
    const tree = op === 'encode' ? v.tree : reader.decode(v.type, v.input, v.context);
    return op === 'decode' ? { tree } : { hex: reader.encode(v.type, tree, v.context) };
  } catch (e) {
    if (!(reader.isReject ?? ((x) => x.kind))(e)) throw e;
    return { reject: { class: e.kind, offset: e.offset } };
  }
}
const read = (folder, name) => {
  const file = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  if (file.format !== FORMAT) throw Error(`${name} has format ${file.format}; this loader knows ${FORMAT}: take a newer one`);
  return file;
};
/** The vectors in a folder json whose id, folder, type or family matches one of the patterns. */
export function* load(folder, run = ['*'], profile = 'observed') {
  const form = RegExp(`^(${run.map((p) => p.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^/]*').replace(/\?/g, '[^/]')).join('|')})$`);
  let found = false;
  for (const entry of read(folder, 'index.json').types) {
    const names = [entry.type, entry.type.split('.')[0]];
    if (!names.some((n) => form.test(n)) && !/[/?]/.test(form.source.replaceAll('[^/]', ''))) continue;
    const file = read(folder, entry.file);
    const chosen = file.vectors.filter((v) => [v.id, v.id.slice(0, v.id.lastIndexOf('/')), ...names].some((n) => form.test(n)));
    found ||= chosen.length > 0;
    yield* chosen.map((v) => new Vector(file, v, profile));
  }
  if (!found || !['observed', 'documented'].includes(profile)) throw Error(`no vector of ${run} under ${profile}`);
}
/** Makes a test of each vector: test is that of node:test. */
export function tests(test, reader, vectors) {
  for (const v of vectors) {
    test(v.id, async (t) => {
      const [result, text] = await v.run((op) => call(reader, op, v));
      if (result === 'fail') throw Error(text);
      if (result === 'skip' || result === 'not applicable') t.skip(text || result);
    });
  }
}
