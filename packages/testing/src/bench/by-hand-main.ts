import { createDatabase } from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import Ajv from 'ajv';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import { getPort } from '../simulators/http-simulator';

/** The promise of a keyed send as an engineer would write it in a service: no account, template, preference or retry. */
const [databaseUrl = '', redisUrl = '', appId = ''] = process.argv.slice(2);

/** Prisma's default on two cores is five. */
const poolSize = 10;
const keySeconds = 24 * 60 * 60;
const dayMs = keySeconds * 1_000;

const log = createLogger({ level: 'error', process: 'by-hand' });
const { prisma } = createDatabase({ url: databaseUrl, poolSize, log });
const redis = new Redis(redisUrl);
const queue = new Queue('by-hand', { connection: { url: redisUrl } });
const isSend = new Ajv().compile<{ event: string; user: { mobile: string }; data: object }>({
  type: 'object',
  required: ['event', 'user', 'data'],
  properties: {
    event: { type: 'string', minLength: 1 },
    user: { type: 'object', required: ['mobile'], properties: { mobile: { type: 'string' } } },
    data: { type: 'object' },
  },
});

const app = express();
app.use(express.json());
app.post('/send', async (req, res) => {
  const key = req.get('Idempotency-Key');
  if (!key) return void res.status(400).json({ error: 'Idempotency-Key is missing' });
  if (!isSend(req.body)) return void res.status(422).json({ error: isSend.errors });
  const requestId = newId();
  const isFirst = await redis.set(`key:${key}`, requestId, 'EX', keySeconds, 'NX');
  if (!isFirst) return void res.json({ success: true, request_id: await redis.get(`key:${key}`) });
  const messageId = newId();
  const ids = { accountId: appId, appId, eventId: appId, versionId: appId };
  const message = { id: messageId, requestId, item: 0, appId, channel: 'sms' };
  await prisma.$transaction([
    prisma.request.create({
      data: {
        id: requestId,
        ...ids,
        kind: 'single',
        items: 1,
        plannedItems: 1,
        idempotencyKey: key,
      },
    }),
    prisma.message.create({
      data: {
        ...message,
        target: req.body.user.mobile,
        notes: { event: req.body.event, data: req.body.data },
        expiresAt: new Date(Date.now() + dayMs),
      },
    }),
  ]);
  await queue.add('deliver', { id: messageId });
  res.json({ success: true, request_id: requestId });
});

const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ port: getPort(server.address()) }),
);
process.on('disconnect', () => process.exit(0));
