import { portOf, ready, serverSetup } from '../../server-program.ts'
import { fastifyApp } from '../logged-apps.ts'

const { form, accessLogFile = '' } = serverSetup()
const { app, stop } = fastifyApp(form === undefined ? undefined : accessLogFile)
await app.listen({ port: 0, host: '127.0.0.1' })
ready(portOf(app.server), stop)
