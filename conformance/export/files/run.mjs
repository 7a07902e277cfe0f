// Judges an adapter by the files of this folder. README.md describes the options, the results and the exit codes.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

const load = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url)))[name];
const byKey = (list = [], key = 'name') => Object.fromEntries(list.map((item) => [item[key], item]));
const file = `${tmpdir()}/formatgauge-${process.pid}`;
const nans = { float32: ['(?!.f80{5})[7f]f[89a-f][0-9a-f]{5}', 'nan:7fc00000'], float64: ['(?!.ff0{13})[7f]ff[0-9a-f]{13}', 'nan:7ff8000000000000'] };

function sameFloat(size, want, got) {
  if (!RegExp(`^(nan(:${nans[size][0]})?|-?inf|[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)$`).test(got)) return false;
  if (want === 'nan' || got === 'nan') return got.startsWith('nan') && (want === 'nan' || want === nans[size][1]);
  const value = (text) => (size === 'float32' ? Math.fround(Number(text)) : Number(text));
  return (want + got).includes('n') ? want === got : Object.is(value(want), value(got));
}
function same(models, part, want, got = null) { // whether trees are equal; got may be no tree of the type
  if (part.model) part = models[part.model];
  if (want === null || got === null) return want === got;
  const raw = (text) => Object.keys(text).join() === 'hex' && String(text.hex).toLowerCase();
  if (part.kind === 'text') [want, got] = [want, got].map((text) => (typeof text === 'string' ? Buffer.from(text).toString('hex') : raw(text)));
  if (typeof want !== typeof got || Array.isArray(want) !== Array.isArray(got)) return false;
  if (part.kind === 'list') return want.length === got.length && want.every((w, i) => same(models, part.elements, w, got[i]));
  if (typeof want === 'object' && !Object.keys(got).every((name) => Object.hasOwn(want, name))) return false;
  if (part.kind === 'object') return (part.fields ?? []).every((f) => same(models, f, want[f.name], got[f.name]));
  if (part.kind === 'one-of') return want.type === got.type && same(models, byKey(part.variants)[want.type], want.value, got.value);
  return part.kind === 'float' ? sameFloat(part.number, want, got) : want === (part.kind === 'bytes' ? got.toLowerCase() : got);
}
function check(t, op, want, { ok, reject }, size) { // the result of an answer; a failure is called disagrees, or value, if a choice can excuse it
  if (reject && want.reject) {
    const { classes, from = -Infinity, to = from < 0 ? Infinity : size } = want.reject;
    const at = (op === 'decode' ? reject.offset : null) ?? from;
    if (from <= at && at <= to && (!classes.length || classes.includes(reject.class))) return 'pass';
  }
  if (reject) return want.other ? 'pass' : reject.class !== 'unsupported' ? 'disagrees' : want.reject ? 'unsupported' : '';
  if (ok?.[op === 'decode' ? 'tree' : 'hex'] === undefined) return 'fail';
  if (want.reject) return want.reject.acceptable ? 'acceptable' : 'disagrees';
  if (op !== 'decode') return String(ok.hex).toLowerCase() === want.hex ? 'pass' : 'value';
  const right = same(t.models, t.tree, want.tree, ok.tree) !== Boolean(want.other);
  return right && (want.other || (ok.consumed ?? size) === size) ? 'pass' : 'value';
}
async function ask(request) {
  if (!child) {
    child = spawn(adapter[0], adapter.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] }).on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8');
  }
  child.stdin.write(JSON.stringify({ id: ++id, ...request }) + '\n');
  let line = '';
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) if ((line += text).endsWith('\n')) break;
  try { return JSON.parse(line); } catch { [child] = [null, child.kill()]; } // the next request starts another process
  return {};
}
async function judge(v, context, data, tree, decode, encode) { // the result of a case, and the operation that decides it
  const source = data.length > 4096 ? (writeFileSync(file, data), { file }) : { hex: data.toString('hex') };
  let result = 'skip';
  for (const [op, want, what] of [['decode', decode, source], ['roundtrip', decode && encode, source], ['encode', encode, { tree }]]) {
    if (!want || !hello.operations.includes(op)) continue;
    const answer = await ask({ op, type: v.type, profile, context, ...what });
    result = (!answer.skip && check(types[v.type], op, want, answer, data.length)) || result;
    if (result !== 'pass') return [result, op];
  }
  return [result, ''];
}
async function* cases(v, verdict) { // of the vector and its derived cases the end of the id, the result and the operation
  const { decode, encode = { hex: v.hex } } = v.sections[verdict.section];
  const [data, context, tree] = [Buffer.from(v.hex ?? '', 'hex'), v.context ?? {}, (decode ?? v).tree];
  yield ['', ...await judge(v, context, data, tree, decode, decode?.reject ? null : encode)];
  for (const r of recipes[v.id]?.cases ?? []) {
    const [at, put] = [r.at ?? 0, Buffer.from(r.hex ?? '', 'hex')];
    const input = Buffer.concat([data.subarray(0, at), put, data.subarray(at + put.length), Buffer.from(r.append ?? '', 'hex')]);
    const want = r.reject ? { reject: r.reject } : { tree, other: r.value === 'other' };
    const back = r.value === 'same' ? { hex: input.toString('hex') } : null;
    for (const n of (r.cut ?? [[input.length, input.length]]).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i))) {
      yield [`#${r.case}${r.cut ? `-${n}` : ''}`, ...await judge(v, r.context ?? context, input.subarray(0, n), tree, want, back)];
    }
  }
}

const flags = { profile: { type: 'string' }, run: { type: 'string', default: '' }, derived: { type: 'boolean' }, all: { type: 'boolean' } };
const { values: options, positionals: adapter } = parseArgs({ options: flags, allowPositionals: true });
const stop = (code, text) => { console.log(text); rmSync(file, { force: true }); process.exit(code); };
let [child, id, counts] = [null, 0, { pass: 0, fail: 0, acceptable: 0, 'not-applicable': 0, skip: 0 }];
const { hello } = adapter.length > 0 ? await ask({ op: 'hello' }) : {}, profile = options.profile ?? hello?.profile ?? 'observed';
if (!hello || hello.views?.length > 0 || !['documented', 'observed'].includes(profile)) stop(2, 'expected an adapter that answers hello; exceptions and views need formatgauge');
const types = byKey(load('types').map((t) => ({ ...t, models: byKey(t.models) })), 'type');
const recipes = byKey(options.derived ? load('derived').filter((d) => d.profiles.includes(profile)) : [], 'vector');
for (const v of load('vectors').filter((v) => v.id.startsWith(options.run))) {
  let [verdict, names, own] = [v.verdicts[profile], [v.type, v.type.split('<')[0]]];
  const listed = names.some((n) => hello.types.includes(n)) && !(hello.skips ?? []).some((s) => names.includes(s.type));
  for await (let [end, result, op] of listed && verdict ? cases(v, verdict) : [['', listed ? 'not-applicable' : 'skip', '']]) {
    if (result === 'unsupported' && own === 'skip') result = own;
    const choices = verdict?.choices && (result !== 'value' || end || verdict.open !== 'acceptance');
    if (['disagrees', 'unsupported', 'value'].includes(result)) result = own !== 'pass' && (choices || op !== 'decode' && verdict.writing) ? 'acceptable' : 'fail';
    [own, counts[result]] = [own ?? result, counts[result] + 1];
    if (options.all || ['fail', 'acceptable'].includes(result)) console.log(result, v.id + end, op);
  }
}
stop(counts.fail > 0 ? 1 : counts.pass > 0 ? 0 : 2, `${profile}: ${Object.entries(counts).map(([k, n]) => `${n} ${k}`).join(', ')}`);
