/** Simulates a worker whose channel refuses some events. Prints delivered events and warnings. */
import type { DeliveredEvent } from '../src/backplane/backplane.ts'
import { WorkerSpoke } from '../src/backplane/workers/spoke.ts'

const spoke = new WorkerSpoke('orders')
process.on('warning', ({ message }) => process.send?.({ warning: message }))
const deliver = ({ event }: DeliveredEvent): void => {
  if (event === 'refused') throw new TypeError('on purpose')
  process.send?.({ delivered: event })
}
void spoke.open({ historyCount: 0, historyBytes: 0, deliver, missed() {}, kept: () => [] })
// Keep the process running.
const alive = setInterval(() => {}, 60_000)
process.once('disconnect', () => {
  clearInterval(alive)
  try {
    spoke.publish({ event: 'n', data: '', id: undefined, key: undefined })
  } catch (error) {
    console.log((error as Error).message)
  }
  spoke.catchUp().catch((error: Error) => console.log(error.message))
})
