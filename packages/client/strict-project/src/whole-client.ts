import { createBelfryClient } from '@belfry/client';
import { print, readOptions } from './environment.js';

const belfry = createBelfryClient(readOptions());
const data = { user_name: 'Ana' };
void belfry.events.send({ event: 'order_shipped', user: { user_id: 'ana' }, data }).then(print);
