// The adapter's end of the protocol: one line of JSON in, one line out.
import { readFileSync } from 'node:fs';

/** What the implementation refuses: input with an offset, a value to write without. */
export class Reject extends Error {
  constructor(kind, offset, message = '') {
    super(message);
    Object.assign(this, { kind, offset });
  }
}

/** The refusal of a value that has no encoding. */
export const range = (message) => new Reject('range', undefined, message);

/** What the implementation leaves out; the message is the reason. */
export class Skip extends Error {}

/**
 * Answers requests until the input ends. decode(type, data, context) gives a
 * tree, encode(type, tree, context) gives bytes; both throw Reject or Skip.
 */
export async function serve(hello, decode, encode) {
  hello = { protocol: '1', language: 'JavaScript', operations: ['decode', 'encode', 'recode'], ...hello };
  let rest = '';
  // Not readline: it takes U+2028 for the end of a line, and a text may hold one.
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const q = JSON.parse(line);
      const part = q.op === 'hello' ? { hello } : answer(q, hello, decode, encode);
      process.stdout.write(JSON.stringify({ id: q.id, ...part }) + '\n');
    }
  }
}

function answer({ op, type, context = {}, hex, file, tree }, hello, decode, encode) {
  if (!hello.operations.includes(op) || !hello.types.includes(type)) return { skip: { reason: 'not in the list of hello' } };
  const written = (value) => ({ ok: { hex: encode(type, value, context).toString('hex') } });
  try {
    if (op === 'encode') return written(tree);
    // Long inputs come in a file.
    const data = file === undefined ? Buffer.from(hex, 'hex') : readFileSync(file);
    const value = decode(type, data, context);
    if (op === 'decode') return { ok: { tree: value, consumed: data.length } };
    return written(value);
  } catch (e) {
    if (e instanceof Reject) return { reject: { class: e.kind, offset: e.offset, message: e.message } };
    if (e instanceof Skip) return { skip: { reason: e.message } };
    return { error: { message: String(e) } }; // a bug in the implementation, to be told from a refusal
  }
}
