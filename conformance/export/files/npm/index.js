// The files of the corpus, parsed. README.md describes them.
import { readFileSync } from 'node:fs';

const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));

export const corpus = read('corpus');
export const { vectors } = read('vectors');
export const { derived } = read('derived');
export const { types } = read('types');
export const { flags } = read('flags');
export const { clauses } = read('clauses');
