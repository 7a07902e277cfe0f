"use strict";
// The worker of the playground: it runs the module and answers one request after the
// other. A message is {id, request, bytes}; an answer {id, answer, bytes} or {id, error}.
importScripts("wasm_exec.js");

const fail = (error) => postMessage({fatal: String((error && error.message) || error)});

// unpacked returns the module. Some servers unpack files before they send them.
const unpacked = async (response) => {
  const b = new Uint8Array(await response.arrayBuffer());
  if (b[0] !== 0x1f || b[1] !== 0x8b) return b;
  return new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
};

(async () => {
  const go = new Go();
  const response = await fetch("module.bin");
  if (!response.ok) throw new Error("the module cannot be loaded: " + response.status);
  const {instance} = await WebAssembly.instantiate(await unpacked(response), go.importObject);
  go.run(instance).then(() => fail("the module has ended"), fail);
  onmessage = ({data: {id, request, bytes}}) => {
    try {
      const r = formatgauge(request, bytes);
      if (r.error !== undefined) return postMessage({id, error: r.error});
      postMessage({id, answer: r.answer, bytes: r.bytes, memory: instance.exports.mem.buffer.byteLength}, [r.bytes.buffer]);
    } catch (e) {
      fail(e);
    }
  };
  postMessage({ready: true});
})().catch(fail);
