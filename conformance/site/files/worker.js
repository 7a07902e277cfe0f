"use strict";
// The worker of the playground: it runs the module and answers one request after the
// other. The first message is {module}. Each other one is {id, request, bytes}; an answer {id, answer, bytes} or {id, error}.
importScripts("wasm_exec.js");

const fail = (error) => postMessage({fatal: String((error && error.message) || error)});

onmessage = async ({data: {module}}) => {
 try {
  const go = new Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
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
 } catch (e) {
  fail(e);
 }
};
