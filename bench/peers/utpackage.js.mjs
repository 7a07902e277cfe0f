// Times UTPackage.js on old packages. The job lines and the output are those of loop.py.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const rounds = 20; // the fastest round counts
const round = 25e6; // nanoseconds

// The file is written for browsers: it defines window.UTReader.
globalThis.window = globalThis;
createRequire(import.meta.url)(process.argv[2] + "/UTReader.js");

// fastest returns the bytes per second of the fastest round.
function fastest(files) {
  const inputs = files.map((name) => new Uint8Array(readFileSync(name)).buffer);
  let best = Infinity;
  let passes = 1;
  for (let i = 0; i < rounds; i++) {
    const start = process.hrtime.bigint();
    for (let n = 0; n < passes; n++) {
      for (const data of inputs) new UTReader(data).readPackage();
    }
    best = Math.min(best, Number(process.hrtime.bigint() - start) / passes);
    passes = Math.floor(round / best) + 1;
  }
  return inputs.reduce((sum, data) => sum + data.byteLength, 0) / best * 1e9;
}

for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  try {
    console.log(fastest(line.split("\t").slice(1)));
  } catch (e) {
    console.log("error: " + String(e?.message ?? e).replace(/\s+/g, " "));
  }
}
