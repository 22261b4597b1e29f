import { parentPort, workerData } from 'node:worker_threads'
import { breakIt } from './break.ts'
import { Load } from './load.ts'
import type { Target, TaskMessage, ThreadMessage } from './tasks.ts'
import { race } from './race.ts'
import { Traffic } from './traffic.ts'

// Runs the clients in a separate thread, so that they neither delay the server nor distort its measurements.
const target = workerData as Target
const traffic = new Traffic(target)
let load: Load | undefined

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const reply = (message: ThreadMessage): void => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, task }: TaskMessage) => {
  run(task).then(
    (result) => reply({ id, result }),
    (error: unknown) => reply({ id, error: error instanceof Error ? error.message : String(error) }),
  )
})

async function run(task: TaskMessage['task']): Promise<unknown> {
  if (task.task === 'traffic') return traffic.set(task.level)
  if (task.task === 'race') return race(target, task.kind)
  if (task.task === 'break') return breakIt(target, task.fault, task.visitor)
  load?.close()
  load = task.port === 0 ? undefined : new Load(task.port, (progress) => reply({ load: progress }))
  return undefined
}
