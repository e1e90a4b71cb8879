export { endStores as default } from './jest-stores';
