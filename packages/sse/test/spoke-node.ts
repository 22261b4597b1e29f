/** As a worker whose primary does not know its channel: says what it is told of that. */
import { WorkerSpoke } from '../src/worker-spoke.ts'

const spoke = new WorkerSpoke('orders')
process.on('warning', ({ message }) => process.send?.({ warning: message }))
void spoke.open({ historyCount: 0, historyBytes: 0, deliver() {}, missed() {}, kept: () => [] })
// Else it would be over.
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
