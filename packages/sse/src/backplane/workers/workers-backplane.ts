import cluster from 'node:cluster'
import { showValue, withCode } from '@fw/options'
import type { Backplane } from '../backplane.ts'
import { WorkerHub } from './hub.ts'
import { WorkerSpoke } from './spoke.ts'

/**
 * Joins the channels in worker processes, from `listen({ workers })` or `node:cluster`, through their primary. All workers
 * receive the same events in the same order. A client that reconnects to any worker, even a new one, receives its missed
 * events.
 *
 * The primary must create the same channel, because it keeps the history for new workers. Without workers, the backplane has no
 * effect.
 *
 * @param name Name of the channel; must be the same in every process
 * @throws {TypeError} if the name is not a non-empty string
 *
 * @example
 * const orders = new SseChannel({ backplane: workersBackplane('orders') })
 * router.get('/orders', (ctx) => orders.serve(ctx))
 * await server.listen({ port: 8080, workers: 4 })
 */
export function workersBackplane(name: string): Backplane {
  if (typeof name !== 'string' || name === '') {
    const fix = 'Use the same name in every process.'
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(`workersBackplane: name must be a non-empty string, got ${showValue(name)}. ${fix}`),
    )
  }
  return cluster.isPrimary ? new WorkerHub(name) : new WorkerSpoke(name)
}
