import express from 'express'
import helmet from 'helmet'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const app = express()
if (serverSetup().form === 'helmet') app.use(helmet())
app.get('/', (_request, response) => void response.type('text/plain').send('hello world'))
const server = app.listen(0, '127.0.0.1', () => ready(portOf(server)))
