// Logs every frame to and from a server, for users who ask for it. Payloads hold secrets: nothing else logs them.
import type { Logger } from '../log.ts';
import type { Upstream } from './port.ts';

/** The same upstream, its frames logged by `write`. */
export function withPayloadLog(upstream: Upstream, write: NonNullable<Logger['payload']>): Upstream {
  return {
    label: upstream.label,
    open: (handlers) => {
      const link = upstream.open({
        ...handlers,
        onFrame: (frame, origin) => {
          write('from server', [frame.bytes]);
          handlers.onFrame(frame, origin);
        },
      });
      const send = link.send.bind(link);
      link.send = (frame, ...rest) => {
        write('to server', frame);
        send(frame, ...rest);
      };
      return link;
    },
  };
}
