// An adapter without types that says on standard error when it is ended.
process.stdin.on('data', () => console.log('{"id":1,"hello":{"protocol":"1","name":"none","types":[],"operations":["decode"]}}'));
process.on('SIGTERM', () => { console.error('ended'); process.exit(); });
