import { Server, toNodeHandler } from '@fw/core'
import express from 'express'

/** The routes that have already moved. */
const router = new Server({ trustProxy: false }).router()
router.get('/users/:id', (ctx) => ({ id: Number(ctx.params.id), servedBy: '@fw/core' }))

/** The existing application. A request without a route in `router` reaches the Express routes. */
export const app = express()
app.use(toNodeHandler(router)) // before express.json(), which would read the bodies
app.use(express.json())
app.get('/users/:id', (request, response) => void response.json({ id: Number(request.params.id), servedBy: 'express' }))
app.get('/orders/:id', (request, response) => void response.json({ id: request.params.id, servedBy: 'express' }))

if (import.meta.main) app.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1')
