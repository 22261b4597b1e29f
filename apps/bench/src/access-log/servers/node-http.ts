import { createServer } from 'node:http'
import { portOf, ready, serverSetup } from '../../server-program.ts'
import { LISTENERS, type NodeLog } from '../logged-apps.ts'

const { form = 'node-http', accessLogFile = '' } = serverSetup()
const { app, stop } = LISTENERS[form as NodeLog](accessLogFile)
const server = createServer(app)
server.listen(0, '127.0.0.1', () => ready(portOf(server), stop))
