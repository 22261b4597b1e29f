import cluster from 'node:cluster'
import { showValue } from '@fw/options'
import type { Backplane } from '../backplane.ts'
import { WorkerHub } from './hub.ts'
import { WorkerSpoke } from './spoke.ts'

/**
 * Joins the channels of the worker processes of one machine, those of `listen({ workers })` or of `node:cluster`, by way
 * of their primary: all see the same events in the same order, and a client that comes back to any of them, also to one
 * that was started since, gets what it missed.
 *
 * The primary has to make the same channel: it keeps the history for workers that are started later. In a program
 * without workers this is as good as no backplane.
 *
 * @param name Of the channel, the same in every process
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
    throw new TypeError(`workersBackplane: name must be a non-empty string, got ${showValue(name)}. ${fix}`)
  }
  return cluster.isPrimary ? new WorkerHub(name) : new WorkerSpoke(name)
}
