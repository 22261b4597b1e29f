import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { otherPatterns, ready, serverSetup } from '../../server-program.ts'

const app = new Hono()
for (const pattern of otherPatterns(serverSetup())) app.get(pattern, (c) => c.text('another'))
app.get('/', (c) => c.text('hello world'))
app.get('/users/:id', (c) => c.json({ id: c.req.param('id'), name: 'Ada' }))
app.post('/echo', async (c) => c.json(await c.req.json()))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
