import { runLoad } from './load';
import type { LoadSpec } from './load-types';

// A separate process, so that the load neither delays the measurement nor counts in it.
process.on('message', (spec: LoadSpec) => {
  runLoad(spec).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ problem: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
