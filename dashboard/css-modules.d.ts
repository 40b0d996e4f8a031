// Styles that a module imports: Vite puts them into files of their own.
declare module "*.css";
