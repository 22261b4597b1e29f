export {
  type ForeignMiddleware,
  type FromNode,
  fromNode,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NodeMiddleware,
  nodeRequest,
  nodeResponse,
} from './from-node.ts'
export type { NodeNext } from './node-call.ts'
