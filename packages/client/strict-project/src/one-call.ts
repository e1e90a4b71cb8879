import { createTransport, sendEvent } from '@belfry/client';
import { print, readOptions } from './environment.js';

interface OrderData {
  user_name: string;
  items: readonly OrderItem[];
}

interface OrderItem {
  name: string;
  quantity: number;
}

const data: OrderData = { user_name: 'Ana', items: [{ name: 'Bell rope', quantity: 2 }] };
const event = 'order_shipped';
void sendEvent(createTransport(readOptions()), { event, user: { user_id: 'ana' }, data }).then(
  print,
);
