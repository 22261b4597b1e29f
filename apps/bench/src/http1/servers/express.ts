import express from 'express'
import { otherPatterns, portOf, ready, serverSetup } from '../../server-program.ts'

const app = express()
for (const pattern of otherPatterns(serverSetup()))
  app.get(pattern, (_request, response) => void response.send('another'))
app.get('/', (_request, response) => void response.type('text/plain').send('hello world'))
app.get('/users/:id', (request, response) => void response.json({ id: request.params.id, name: 'Ada' }))
app.post('/echo', express.json(), (request, response) => void response.json(request.body))
const server = app.listen(0, '127.0.0.1', () => ready(portOf(server)))
