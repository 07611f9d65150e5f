// Loaded before the emulator: whatever this process listens on, it listens on 127.0.0.1 only.
const { Server } = require('node:net');

const listen = Server.prototype.listen;
const host = '127.0.0.1';

Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  if (typeof first === 'number') {
    const callbacks = rest.filter((each) => typeof each === 'function');
    return listen.call(this, { port: first, host }, ...callbacks);
  }
  if (first !== null && typeof first === 'object' && first.port !== undefined) {
    return listen.call(this, { ...first, host }, ...rest);
  }
  return listen.call(this, first, ...rest);
};
