import { HttpError, Server } from '@fw/core'
import * as z from 'zod'

const Id = z.object({ id: z.coerce.number().int().positive() })
const NewTodo = z.object({ title: z.string().trim().min(1).max(200) })
const Filter = z.object({ done: z.stringbool().optional() })

interface Todo {
  readonly id: number
  readonly title: string
  readonly done: boolean
}

const todos = new Map<number, Todo>()
let lastId = 0

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

router.get('/todos', { query: Filter }, (ctx) => {
  const { done } = ctx.valid.query
  return [...todos.values()].filter((todo) => done === undefined || todo.done === done)
})

router.post('/todos', { body: NewTodo }, (ctx) => {
  lastId += 1
  const todo: Todo = { id: lastId, title: ctx.valid.body.title, done: false }
  todos.set(todo.id, todo)
  ctx.responseHeaders.set('location', `/todos/${todo.id}`)
  return ctx.json(todo, { status: 201 })
})

router.get('/todos/:id', { params: Id }, (ctx) => find(ctx.valid.params.id))

router.put('/todos/:id/done', { params: Id }, (ctx) => {
  const todo = { ...find(ctx.valid.params.id), done: true }
  todos.set(todo.id, todo)
  return todo
})

router.delete('/todos/:id', { params: Id }, (ctx) => {
  todos.delete(find(ctx.valid.params.id).id)
  return ctx.empty(204)
})

/** @throws {HttpError} 404, which the client gets as problem details (RFC 9457) */
function find(id: number): Todo {
  const todo = todos.get(id)
  if (todo === undefined) throw new HttpError(404, `Todo ${id} does not exist`)
  return todo
}

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
