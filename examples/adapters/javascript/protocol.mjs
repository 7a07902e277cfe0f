// The adapter's side of the protocol: one line of JSON per request and answer.
import { readFileSync } from 'node:fs';

/** A rejection: of input, with an offset; or of a value to encode, without. */
export class Reject extends Error {
  constructor(kind, offset, message = '') {
    super(message);
    Object.assign(this, { kind, offset });
  }
}

/** The rejection of a value that has no encoding. */
export const range = (message) => new Reject('range', undefined, message);

/** A request that the implementation does not support; the message is the reason. */
export class Skip extends Error {}

/**
 * Answers requests until the input ends. decode(type, data, context) returns a
 * tree, encode(type, tree, context) returns bytes. Both may throw Reject or Skip.
 */
export async function serve(hello, decode, encode) {
  hello = { protocol: '1', language: 'JavaScript', operations: ['decode', 'encode', 'roundtrip'], ...hello };
  let rest = '';
  // readline would also split at U+2028, which a text may contain.
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
  if (!hello.operations.includes(op) || !hello.types.includes(type)) return { skip: { reason: 'not listed in hello' } };
  const encoded = (value) => ({ ok: { hex: encode(type, value, context).toString('hex') } });
  try {
    if (op === 'encode') return encoded(tree);
    // Long inputs are in a file.
    const data = file === undefined ? Buffer.from(hex, 'hex') : readFileSync(file);
    const value = decode(type, data, context);
    if (op === 'decode') return { ok: { tree: value, consumed: data.length } };
    return encoded(value);
  } catch (e) {
    if (e instanceof Reject) return { reject: { class: e.kind, offset: e.offset, message: e.message } };
    if (e instanceof Skip) return { skip: { reason: e.message } };
    return { error: { message: String(e) } }; // a bug in the implementation, not a rejection
  }
}
