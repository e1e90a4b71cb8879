-- The whole data model. Made from prisma/schema.prisma; what Prisma cannot say stands at the end.

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "operator_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_session" (
    "token_hash" BYTEA NOT NULL,
    "operator_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "operator_session_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "invitation" (
    "token_hash" BYTEA NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "email" TEXT,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "app" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "delivery" TEXT NOT NULL,
    "open_inbox_counters" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "app_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "integration" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "credentials" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'active',
    "state_reason" TEXT,
    "probe_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "integration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "draft" JSONB,
    "live_version_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_version" (
    "id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "definition" JSONB NOT NULL,
    "note" TEXT,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app_user" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "user_id" TEXT NOT NULL,
    "contact" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "app_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "user_sid" UUID NOT NULL,
    "client_id" TEXT,
    "fcm_token" TEXT,
    "platform" TEXT,
    "fields" JSONB NOT NULL DEFAULT '{}',
    "notifications_disabled" BOOLEAN NOT NULL DEFAULT false,
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "version_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "items" INTEGER NOT NULL,
    "planned_items" INTEGER NOT NULL,
    "api_key_id" TEXT,
    "idempotency_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_item" (
    "request_id" UUID NOT NULL,
    "item" INTEGER NOT NULL,
    "recipient" TEXT,
    "data" TEXT,
    "override" TEXT,
    "locale" TEXT,
    "schedule_at" TEXT,
    "skips" JSONB,
    "planned_at" TIMESTAMPTZ(3),

    CONSTRAINT "request_item_pkey" PRIMARY KEY ("request_id","item")
);

-- CreateTable
CREATE TABLE "message" (
    "id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "item" INTEGER NOT NULL,
    "app_id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'queued',
    "reason" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "job_id" UUID,
    "is_bulk" BOOLEAN NOT NULL DEFAULT false,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "unknown_count" INTEGER NOT NULL DEFAULT 0,
    "integration_id" UUID,
    "waits" TEXT,
    "notes" JSONB,
    "resend_of" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "message_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),
    "worker" TEXT,
    "integration_id" UUID,
    "provider" TEXT,
    "outcome" TEXT,
    "is_possible_duplicate" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "detail" TEXT,
    "provider_message_id" TEXT,
    "request" TEXT,
    "response" TEXT,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("message_id","number")
);

-- CreateTable
CREATE TABLE "receipt" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "integration_id" UUID NOT NULL,
    "message_id" UUID,
    "provider_message_id" TEXT,
    "state" TEXT NOT NULL,
    "error_code" TEXT,
    "body" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "receipt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "account_id" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "ring_key_id" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "status" INTEGER NOT NULL,
    "body" TEXT,
    "first_seen" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("account_id","key_hash")
);

-- CreateTable
CREATE TABLE "suppression" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "sender" TEXT NOT NULL DEFAULT '',
    "reason" TEXT NOT NULL,
    "detail" TEXT,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "suppression_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbox_item" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "user_id" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "content" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'UNREAD',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbox_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbox_reader" (
    "app_id" UUID NOT NULL,
    "user_id" TEXT NOT NULL,
    "last_opened_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_reader_pkey" PRIMARY KEY ("app_id","user_id")
);

-- CreateTable
CREATE TABLE "capture" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "channel" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "request" JSONB NOT NULL,
    "outcome" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "capture_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resend" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "filter" JSONB NOT NULL,
    "matched" INTEGER NOT NULL,
    "resent" INTEGER NOT NULL DEFAULT 0,
    "cursor" TEXT,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),

    CONSTRAINT "resend_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "worker_heartbeat" (
    "id" TEXT NOT NULL,
    "roles" TEXT[],
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "progress_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_heartbeat_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "operator_id" UUID,
    "app_id" UUID,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "change" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "operator_email_key" ON "operator"("email");

-- CreateIndex
CREATE INDEX "operator_account_id_idx" ON "operator"("account_id");

-- CreateIndex
CREATE INDEX "operator_session_operator_id_idx" ON "operator_session"("operator_id");

-- CreateIndex
CREATE INDEX "invitation_account_id_idx" ON "invitation"("account_id");

-- CreateIndex
CREATE INDEX "app_account_id_idx" ON "app"("account_id");

-- CreateIndex
CREATE INDEX "integration_app_id_idx" ON "integration"("app_id");

-- CreateIndex
CREATE INDEX "event_app_id_idx" ON "event"("app_id");

-- CreateIndex
CREATE UNIQUE INDEX "event_version_event_id_number_key" ON "event_version"("event_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "app_user_app_id_user_id_key" ON "app_user"("app_id", "user_id");

-- CreateIndex
CREATE INDEX "device_user_sid_idx" ON "device"("user_sid");

-- CreateIndex
CREATE UNIQUE INDEX "device_app_id_fcm_token_key" ON "device"("app_id", "fcm_token");

-- CreateIndex
CREATE INDEX "request_app_id_id_idx" ON "request"("app_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "message_request_id_item_channel_target_generation_key" ON "message"("request_id", "item", "channel", "target", "generation");

-- CreateIndex
CREATE INDEX "receipt_message_id_idx" ON "receipt"("message_id");

-- CreateIndex
CREATE INDEX "idempotency_key_first_seen_idx" ON "idempotency_key"("first_seen");

-- CreateIndex
CREATE UNIQUE INDEX "suppression_app_id_channel_recipient_sender_key" ON "suppression"("app_id", "channel", "recipient", "sender");

-- CreateIndex
CREATE UNIQUE INDEX "inbox_item_message_id_key" ON "inbox_item"("message_id");

-- CreateIndex
CREATE INDEX "inbox_item_app_id_user_id_id_idx" ON "inbox_item"("app_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "capture_app_id_id_idx" ON "capture"("app_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "capture_message_id_attempt_key" ON "capture"("message_id", "attempt");

-- CreateIndex
CREATE INDEX "resend_app_id_idx" ON "resend"("app_id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_id_idx" ON "audit_entry"("account_id", "id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operator" ADD CONSTRAINT "operator_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operator_session" ADD CONSTRAINT "operator_session_operator_id_fkey" FOREIGN KEY ("operator_id") REFERENCES "operator"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app" ADD CONSTRAINT "app_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "integration" ADD CONSTRAINT "integration_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_version" ADD CONSTRAINT "event_version_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device" ADD CONSTRAINT "device_user_sid_fkey" FOREIGN KEY ("user_sid") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_item" ADD CONSTRAINT "request_item_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "request"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message" ADD CONSTRAINT "message_request_id_item_fkey" FOREIGN KEY ("request_id", "item") REFERENCES "request_item"("request_id", "item") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A claim and a record rewrite the row: the free space keeps the new version on its page.
ALTER TABLE "message" SET (fillfactor = 70);

-- What is due, for the relay: the next try of a queued message, the end of a lease.
CREATE INDEX "message_channel_due_at_idx" ON "message"("channel", "due_at") WHERE "due_at" IS NOT NULL;

-- A receipt finds its attempt.
CREATE INDEX "attempt_provider_message_id_idx" ON "attempt"("provider_message_id") WHERE "provider_message_id" IS NOT NULL;

-- A name is free again when its owner was removed.
CREATE UNIQUE INDEX "event_app_id_name_key" ON "event"("app_id", "name") WHERE "deleted_at" IS NULL;
CREATE UNIQUE INDEX "integration_app_id_name_key" ON "integration"("app_id", "name") WHERE "deleted_at" IS NULL;

-- Items that fanout has still to plan.
CREATE INDEX "request_item_unplanned_idx" ON "request_item"("request_id", "item") WHERE "planned_at" IS NULL;

-- Closed lists: a state or a kind that the code does not know is a bug, and is refused here.
ALTER TABLE "app" ADD CONSTRAINT "app_delivery_check" CHECK ("delivery" IN ('sandbox', 'live'));
ALTER TABLE "message" ADD CONSTRAINT "message_state_check" CHECK ("state" IN ('queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'skipped', 'failed'));
ALTER TABLE "event_version" ADD CONSTRAINT "event_version_kind_check" CHECK ("kind" IN ('live', 'test'));
ALTER TABLE "integration" ADD CONSTRAINT "integration_state_check" CHECK ("state" IN ('active', 'needs_attention', 'paused'));
