// Measures one application for one turn per message: node response-process.ts <application> <work>
import { APPLICATIONS, WORKS } from './applications.ts'
import { perSecond } from './measure.ts'

const [name = '', work = ''] = process.argv.slice(2)
const found = WORKS.find((each) => each.name === work)
const request = found === undefined ? undefined : await APPLICATIONS[name]?.(found)
if (request === undefined) throw new Error(`Unknown application '${name}' or work '${work}'`)

process.on('message', (durationMs: number) => void turn(durationMs))
// The message listener is registered.
process.send?.('ready')

async function turn(durationMs: number): Promise<void> {
  if (request !== undefined) process.send?.(await perSecond(request, durationMs))
}
