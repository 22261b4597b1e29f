export { cors } from './cors.ts'
export type { CorsOptions, OriginCheck } from './options.ts'
export type { RouteCors } from './route-option.ts'
