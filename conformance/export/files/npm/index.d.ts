// Types of the files of the corpus. README.md says what they mean.

export type Basis = 'document' | 'engine' | 'files' | 'choice';
export type Profile = 'documented' | 'observed';
export type Class =
  | 'truncated' | 'trailing' | 'magic' | 'version' | 'kind' | 'value' | 'reference' | 'limit' | 'noncanonical'
  | 'unsupported' | 'range';
export type Tree = null | boolean | string | Tree[] | { [field: string]: Tree };
export type Context = { [parameter: string]: string };

export interface Corpus {
  format: 'formatgauge-corpus-1';
  number: number;
  hash: string;
  formatgauge: string;
  protocol: string;
  profiles: Profile[];
  vectors: number;
  derived: { [profile in Profile]: number };
  licences: { [file: string]: string };
  files: { name: string; schema: string; sha256: string }[];
}

export interface Reject {
  classes: Class[];
  from?: number;
  to?: number;
  acceptable?: 'limit' | 'unsupported';
}

/** An expected answer. Exactly one field is present. */
export interface Want {
  tree?: Tree;
  hex?: string;
  reject?: Reject;
}

export interface Section {
  profile: string;
  sides?: { [flag: string]: string };
  basis: Basis;
  decided?: string[];
  outcome: 'accept' | 'noncanonical' | 'reject' | 'encodes';
  canonical?: boolean;
  decode?: Want;
  encode?: Want;
}

export interface Vector {
  id: string;
  type: string;
  comment: string;
  clauses: string[];
  flags?: string[];
  decided?: string[];
  context?: Context;
  source: string;
  hex?: string;
  tree?: Tree;
  spans?: { start: number; end: number; note: string; mark?: 'len' | 'count'; width?: 1 | 2 | 4 | 8 }[];
  sections: Section[];
  verdicts: { [profile in Profile]?: { section: number; basis: Basis; choices?: string[]; writing?: string[] } };
}

export interface Case {
  case: string;
  rule: 'truncated' | 'trailing' | 'raised' | 'lowered' | 'other-order' | 'mirrored';
  cut?: [number, number][];
  append?: string;
  at?: number;
  hex?: string;
  context?: Context;
  value?: 'same' | 'other';
  reject?: Reject;
}

export interface Derived {
  vector: string;
  profiles: Profile[];
  cases: Case[];
}

export interface Part {
  kind: 'boolean' | 'integer' | 'float' | 'text' | 'bytes' | 'name' | 'list' | 'object' | 'one-of' | 'model';
  null?: true;
  number?: string;
  length?: number;
  names?: string[];
  model?: string;
  elements?: Part;
  fields?: NamedPart[];
  variants?: NamedPart[];
}

export interface NamedPart extends Part {
  name: string;
  clauses?: string[];
}

export interface Type {
  type: string;
  title?: string;
  context?: Context;
  tree: Part;
  models?: NamedPart[];
  example?: { vector: string; context?: Context; hex: string; tree: Tree };
}

export interface Flag {
  id: string;
  kind: 'contradiction' | 'erratum' | 'omission' | 'ambiguity' | 'hazard' | 'misnomer';
  clauses?: string[];
  documented: string;
  observed: string;
  sides?: { name: string; reading: string; basis: Basis; reason?: string; lenient?: string; view?: string }[];
  profiles?: { [profile in Profile]: string };
}

export interface Clause {
  id: string;
  structure: string;
  level: 'must' | 'should' | 'info';
  basis: Basis;
  text: string;
  reason?: string;
}

export const corpus: Corpus;
export const vectors: Vector[];
export const derived: Derived[];
export const types: Type[];
export const flags: Flag[];
export const clauses: Clause[];
