-- The sentence that an operator reads beside a receipt's code.
ALTER TABLE "receipt" ADD COLUMN "detail" TEXT;
