import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { ready } from '../../server-program.ts'
import { JSON_BODY } from '../json-body.ts'

const app = new Hono()
app.use(compress())
app.get('/', (c) => c.body(JSON_BODY, 200, { 'content-type': 'application/json' }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
