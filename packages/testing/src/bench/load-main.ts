import { runLoad } from './load';
import type { LoadSpec } from './load-types';

// A process of its own: what makes the load must not hold up what measures, nor be counted with it.
process.on('message', (spec: LoadSpec) => {
  runLoad(spec).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ problem: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
