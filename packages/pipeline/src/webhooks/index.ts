export {
  countDeliveries,
  type DeliveryCounts,
  type DeliveryWithEvent,
  type FailingEndpoint,
  listDeliveries,
  listFailingEndpoints,
  queueExample,
  readWebhookTotals,
  resendDelivery,
  resendFailedDeliveries,
} from './read-deliveries';
export { startWebhooks } from './start-webhooks';
