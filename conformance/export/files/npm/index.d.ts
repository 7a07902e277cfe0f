// Types of the loader and of the files of the corpus. README.md says what they mean.

export type Profile = 'documented' | 'observed';
export type Class =
  | 'truncated' | 'trailing' | 'magic' | 'version' | 'kind' | 'value' | 'reference' | 'limit' | 'noncanonical'
  | 'unsupported' | 'range';
export type Tree = null | boolean | string | Tree[] | { [field: string]: Tree };
export type Context = { [parameter: string]: string };
export type Operation = 'decode' | 'roundtrip' | 'encode';
export type Status = 'pass' | 'fail' | 'acceptable' | 'skip' | 'not applicable';

export interface Permitted {
  result: 'pass' | 'acceptable';
  reason?: 'choice' | 'limit' | 'unsupported';
  like?: 'tree' | 'sign' | 'text' | 'input' | 'any';
  hex?: string;
  reject?: Class[];
  from?: number;
  to?: number;
}

export interface Result {
  profiles: Profile[];
  basis: 'document' | 'engine' | 'files' | 'choice';
  choices?: string[];
  tree?: Tree;
  decode?: Permitted[];
  roundtrip?: Permitted[];
  encode?: Permitted[];
}

export interface Data {
  id: string;
  comment: string;
  clauses: string[];
  flags?: string[];
  context?: Context;
  source: string;
  hex?: string;
  spans?: [number, number, string][];
  results?: Result[];
}

export type Answer =
  | { tree: Tree }
  | { hex: Uint8Array }
  | { reject: { class?: string; offset?: number } }
  | { skip: string }
  | { error: unknown };

export interface Reader {
  decode(type: string, bytes: Uint8Array, context: Context): Tree;
  encode(type: string, tree: Tree, context: Context): Uint8Array;
  /** Whether an error is a rejection; by default, whether it has a kind. */
  isReject?(error: any): boolean;
}

/** A vector under a profile: one test. */
export class Vector {
  readonly id: string;
  readonly type: string;
  readonly profile: Profile;
  readonly data: Data;
  readonly context: Context;
  readonly input: Uint8Array;
  readonly tree: Tree;
  judge(op: Operation, answer: Answer): Status;
  run(ask: (op: Operation, v: Vector) => Answer | undefined | Promise<Answer | undefined>): Promise<[Status, string]>;
}

/** The vectors in a folder json whose id, folder, type or family matches one of the patterns. */
export function load(folder: string, run?: string[], profile?: Profile): Generator<Vector>;
/** Whether a tree equals that of a vector. */
export function compare(vector: Vector, got: Tree, like?: 'tree' | 'sign' | 'text' | 'any'): boolean;
/** An answer of a reader. */
export function call(reader: Reader, op: Operation, v: Vector): Answer;
/** Makes a test of each vector: test is that of node:test. */
export function tests(test: (name: string, f: (t: { skip(why?: string): void }) => Promise<void>) => unknown, reader: Reader, vectors: Iterable<Vector>): void;
