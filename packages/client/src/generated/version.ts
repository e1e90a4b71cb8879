// Made from package.json by `npm run docs`: change it there.

export const version = '0.1.0';
