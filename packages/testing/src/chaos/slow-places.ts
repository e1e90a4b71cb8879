import type { SimulatedChannels } from '../simulated-channels';
import { getPlaceKey } from './recording';

/** Messages, by place, for which a provider answers slowly: the first call and each later one. */
export type SlowPlaces = {
  /** Makes every call slow from now on, until `stop`. */
  begin(): { stop(): void };
  has(place: string): boolean;
};

/** Long enough to inject a fault meanwhile, and well below the deadline of an attempt. */
const slowAnswerMs = 3_000;

export function createSlowPlaces({ channels }: SimulatedChannels): SlowPlaces {
  const places = new Set<string>();
  let activeCount = 0;

  function getDelayMs(place: string): number {
    if (activeCount > 0) places.add(place);
    return places.has(place) ? slowAnswerMs : 0;
  }

  for (const [channel, { delayEach }] of Object.entries(channels)) {
    delayEach((target) => getDelayMs(getPlaceKey({ channel, target })));
  }
  return {
    begin() {
      activeCount += 1;
      return {
        stop() {
          activeCount -= 1;
        },
      };
    },
    has: (place) => places.has(place),
  };
}
