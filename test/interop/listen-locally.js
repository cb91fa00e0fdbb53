// Loaded before a published server: wherever it wants to listen, it gets a free port of the loopback address, and says
// which.
import net from 'node:net';

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenLocally(...args) {
  const callback = args.find((argument) => typeof argument === 'function');
  return listen.call(this, 0, '127.0.0.1', () => {
    console.log(`listening locally on ${this.address().port}`);
    callback?.();
  });
};
