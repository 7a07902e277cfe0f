#!/usr/bin/env node
// Judges an adapter by the vectors in a folder: formatgauge_run.mjs [--run PATTERN] FOLDER -- ADAPTER...
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { load } from './formatgauge_vectors.mjs';

const usage = 'formatgauge_run.mjs [--profile PROFILE] [--run PATTERN]... [--fail-acceptable] [--all] [FOLDER] -- ADAPTER...';
// A pipe can be slow: the process ends when all is written.
const stop = (code, text) => new Promise(() => { child?.kill(); process.stdout.write(`${text}\n`, () => process.exit(code)); });
let child, id = 0;

async function ask(request) {
  if (!child) {
    child = spawn(adapter[0], adapter.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] }).on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8');
  }
  child.stdin.write(JSON.stringify({ id: ++id, ...request }) + '\n');
  let line = '';
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) if ((line += text).endsWith('\n')) break;
  try { return JSON.parse(line); } catch { [child] = [undefined, child.kill()]; } // the next request starts another process
  return { error: { message: 'no answer' } };
}

async function answer(op, v) {
  const names = [v.type, v.type.split('<')[0]];
  if (!names.some((n) => hello.types.includes(n)) || hello.skips?.some((s) => names.includes(s.type))) return { skip: 'the type' };
  if (!hello.operations.includes(op)) return undefined;
  const source = op === 'encode' ? { tree: v.tree } : { hex: v.input.toString('hex') };
  const { ok, reject, skip, error } = await ask({ op, type: v.type, profile: v.profile, context: v.context, ...source });
  if (reject) return { reject };
  if (op === 'decode' && ok?.tree !== undefined && (ok.consumed ?? v.input.length) === v.input.length) return { tree: ok.tree };
  if (op !== 'decode' && /^([0-9a-f]{2})*$/i.test(ok?.hex ?? '-')) return { hex: Buffer.from(ok.hex, 'hex') };
  return skip ? { skip: skip.reason } : { error: error ?? ok ?? null };
}

const flags = { profile: { type: 'string' }, run: { type: 'string', multiple: true }, 'fail-acceptable': { type: 'boolean' }, all: { type: 'boolean' } };
let options, own, adapter = process.argv.slice(2);
try {
  const end = adapter.indexOf('--');
  ({ values: options, positionals: own } = parseArgs({ args: adapter.slice(0, end < 0 ? adapter.length : end), options: flags, allowPositionals: true }));
  adapter = end < 0 ? [] : adapter.slice(end + 1);
} catch (e) { await stop(2, `${e.message}\n${usage}`); }
// In the package for npm the data are beside this file.
const folder = own[0] ?? [fileURLToPath(new URL('json', import.meta.url))].find(existsSync);
if (!folder || !adapter.length) await stop(2, usage);
const { hello } = await ask({ op: 'hello' });
const profile = options.profile ?? hello?.profile ?? 'observed';
if (!hello || hello.views?.length > 0 || !['documented', 'observed'].includes(profile)) await stop(2, 'expected an adapter that answers hello; exceptions and views need formatgauge');
const counts = { pass: 0, fail: 0, acceptable: 0, skip: 0, 'not applicable': 0 };
try {
  for (const v of load(folder, options.run, profile)) {
    let [result, text] = v.result || !(await answer('', v)) ? await v.run(answer) : ['skip', ''];
    if (result === 'acceptable' && options['fail-acceptable']) result = 'fail';
    counts[result]++;
    if (result === 'fail') console.log(`FAIL ${v.id}\n${text}`);
    else if (options.all) console.log(`${result}  ${v.id}`);
  }
} catch (e) { await stop(2, e.message); }
await stop(counts.fail ? 1 : counts.pass ? 0 : 2, `${profile}: ${Object.entries(counts).map(([s, n]) => `${n} ${s}`).join(', ')}`);
