package main

// sample is one module of the world, and types of it that people call services
// by.
type sample struct {
	name    string // of the folder and the package that are made for it
	module  string
	version string
	clients []client
}

// client is one type. A struct gets its interface from resgen interface, an
// interface is embedded.
type client struct {
	pkg, typ string
	embed    bool
	name     string // of the interface
	args     string // type arguments with which it is tried
}

func written(pkg, typ, name string) client { return client{pkg: pkg, typ: typ, name: name} }
func embedded(pkg, typ, name string) client {
	return client{pkg: pkg, typ: typ, name: name, embed: true}
}

var samples = []sample{
	{"s3", "github.com/aws/aws-sdk-go-v2/service/s3", "v1.114.10", []client{
		written("github.com/aws/aws-sdk-go-v2/service/s3", "Client", "Bucket"),
	}},
	{"dynamodb", "github.com/aws/aws-sdk-go-v2/service/dynamodb", "v1.74.0", []client{
		written("github.com/aws/aws-sdk-go-v2/service/dynamodb", "Client", "Tables"),
	}},
	{"githubapi", "github.com/google/go-github/v75", "v75.0.0", []client{
		written("github.com/google/go-github/v75/github", "RepositoriesService", "Repositories"),
		written("github.com/google/go-github/v75/github", "PullRequestsService", "PullRequests"),
	}},
	{"stripeapi", "github.com/stripe/stripe-go/v82", "v82.5.1", []client{
		written("github.com/stripe/stripe-go/v82", "v1CustomerService", "Customers"),
		written("github.com/stripe/stripe-go/v82/paymentintent", "Client", "PaymentIntents"),
	}},
	{"docker", "github.com/docker/docker", "v28.5.2+incompatible", []client{
		written("github.com/docker/docker/client", "Client", "Docker"),
		embedded("github.com/docker/docker/client", "APIClient", "DockerAPI"),
	}},
	{"kubernetes", "k8s.io/client-go", "v0.37.2", []client{
		written("k8s.io/client-go/kubernetes", "Clientset", "Cluster"),
		embedded("k8s.io/client-go/kubernetes/typed/core/v1", "PodInterface", "Pods"),
		embedded("k8s.io/client-go/dynamic", "ResourceInterface", "Resources"),
	}},
	{"etcd", "go.etcd.io/etcd/client/v3", "v3.7.3", []client{
		embedded("go.etcd.io/etcd/client/v3", "KV", "Keys"),
		embedded("go.etcd.io/etcd/client/v3", "Lease", "Leases"),
		embedded("go.etcd.io/etcd/client/v3", "Watcher", "Watcher"),
		written("go.etcd.io/etcd/client/v3", "Client", "Etcd"),
	}},
	{"nats", "github.com/nats-io/nats.go", "v1.55.0", []client{
		written("github.com/nats-io/nats.go", "Conn", "Conn"),
		embedded("github.com/nats-io/nats.go/jetstream", "JetStream", "Streams"),
	}},
	{"mongo", "go.mongodb.org/mongo-driver/v2", "v2.10.0", []client{
		written("go.mongodb.org/mongo-driver/v2/mongo", "Collection", "Collection"),
		written("go.mongodb.org/mongo-driver/v2/mongo", "Database", "Database"),
	}},
	{"pgx", "github.com/jackc/pgx/v5", "v5.12.0", []client{
		written("github.com/jackc/pgx/v5/pgxpool", "Pool", "Pool"),
		written("github.com/jackc/pgx/v5", "Conn", "Conn"),
		embedded("github.com/jackc/pgx/v5", "Tx", "Tx"),
	}},
	{"elastic", "github.com/elastic/go-elasticsearch/v8", "v8.19.7", []client{
		written("github.com/elastic/go-elasticsearch/v8", "Client", "Search"),
		embedded("github.com/elastic/go-elasticsearch/v8/esapi", "Transport", "Transport"),
	}},
	{"opensearch", "github.com/opensearch-project/opensearch-go/v4", "v4.8.1", []client{
		written("github.com/opensearch-project/opensearch-go/v4/opensearchapi", "documentClient", "Documents"),
	}},
	{"sarama", "github.com/IBM/sarama", "v1.61.1", []client{
		embedded("github.com/IBM/sarama", "SyncProducer", "Producer"),
		embedded("github.com/IBM/sarama", "ClusterAdmin", "Admin"),
		embedded("github.com/IBM/sarama", "Client", "Kafka"),
		written("github.com/IBM/sarama", "Broker", "Broker"),
	}},
	{"franz", "github.com/twmb/franz-go", "v1.22.3", []client{
		written("github.com/twmb/franz-go/pkg/kgo", "Client", "Kafka"),
	}},
	{"kafkago", "github.com/segmentio/kafka-go", "v0.4.51", []client{
		written("github.com/segmentio/kafka-go", "Client", "Kafka"),
		written("github.com/segmentio/kafka-go", "Writer", "Topic"),
		written("github.com/segmentio/kafka-go", "Reader", "Partition"),
	}},
	{"rabbit", "github.com/rabbitmq/amqp091-go", "v1.16.0", []client{
		written("github.com/rabbitmq/amqp091-go", "Channel", "Channel"),
	}},
	{"twilio", "github.com/twilio/twilio-go", "v1.31.0", []client{
		written("github.com/twilio/twilio-go/rest/api/v2010", "ApiService", "Messages"),
	}},
	{"slackapi", "github.com/slack-go/slack", "v0.35.0", []client{
		written("github.com/slack-go/slack", "Client", "Slack"),
	}},
	{"redisgo", "github.com/redis/go-redis/v9", "v9.23.0", []client{
		written("github.com/redis/go-redis/v9", "Client", "Redis"),
		embedded("github.com/redis/go-redis/v9", "Cmdable", "Commands"),
		embedded("github.com/redis/go-redis/v9", "Pipeliner", "Pipeline"),
	}},
	{"rueidis", "github.com/redis/rueidis", "v1.0.79", []client{
		embedded("github.com/redis/rueidis", "Client", "Redis"),
	}},
	{"memcached", "github.com/bradfitz/gomemcache", "v0.0.0-20260422231931-4d751bb6e37c", []client{
		written("github.com/bradfitz/gomemcache/memcache", "Client", "Cache"),
	}},
	{"minio", "github.com/minio/minio-go/v7", "v7.4.1", []client{
		written("github.com/minio/minio-go/v7", "Client", "Objects"),
	}},
	{"consul", "github.com/hashicorp/consul/api", "v1.34.5", []client{
		written("github.com/hashicorp/consul/api", "KV", "Keys"),
		written("github.com/hashicorp/consul/api", "Health", "Health"),
	}},
	{"vault", "github.com/hashicorp/vault/api", "v1.23.0", []client{
		written("github.com/hashicorp/vault/api", "Logical", "Secrets"),
		written("github.com/hashicorp/vault/api", "KVv2", "Versions"),
	}},
	{"gcs", "cloud.google.com/go/storage", "v1.70.0", []client{
		written("cloud.google.com/go/storage", "ObjectHandle", "Object"),
		written("cloud.google.com/go/storage", "BucketHandle", "Bucket"),
	}},
	{"azure", "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", "v1.8.3", []client{
		written("github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", "Client", "Blobs"),
	}},
	{"temporal", "go.temporal.io/sdk", "v1.51.0", []client{
		embedded("go.temporal.io/sdk/client", "Client", "Workflows"),
	}},
	{"grpchealth", "google.golang.org/grpc", "v1.85.0", []client{
		embedded("google.golang.org/grpc/health/grpc_health_v1", "HealthClient", "Health"),
		embedded("google.golang.org/grpc", "ClientConnInterface", "Connection"),
		written("google.golang.org/grpc", "ClientConn", "Conn"),
	}},
	{"connect", "connectrpc.com/connect", "v1.21.1", []client{
		{pkg: "connectrpc.com/connect", typ: "Client", name: "Procedure", args: "[int, string]"},
	}},
	{"clickhouse", "github.com/ClickHouse/clickhouse-go/v2", "v2.51.0", []client{
		embedded("github.com/ClickHouse/clickhouse-go/v2/lib/driver", "Conn", "Warehouse"),
	}},
	{"cassandra", "github.com/gocql/gocql", "v1.7.0", []client{
		written("github.com/gocql/gocql", "Session", "Session"),
		written("github.com/gocql/gocql", "Query", "Query"),
	}},
	{"neo4j", "github.com/neo4j/neo4j-go-driver/v5", "v5.28.4", []client{
		embedded("github.com/neo4j/neo4j-go-driver/v5/neo4j", "DriverWithContext", "Graph"),
	}},
	{"neo4jsession", "github.com/neo4j/neo4j-go-driver/v5", "v5.28.4", []client{
		embedded("github.com/neo4j/neo4j-go-driver/v5/neo4j", "SessionWithContext", "Session"),
	}},
	{"influx", "github.com/influxdata/influxdb-client-go/v2", "v2.14.0", []client{
		embedded("github.com/influxdata/influxdb-client-go/v2/api", "QueryAPI", "Queries"),
		embedded("github.com/influxdata/influxdb-client-go/v2/api", "WriteAPIBlocking", "Writes"),
	}},
	{"prometheus", "github.com/prometheus/client_golang", "v1.25.0", []client{
		embedded("github.com/prometheus/client_golang/api/prometheus/v1", "API", "Prometheus"),
	}},
	{"otel", "go.opentelemetry.io/otel/metric", "v1.47.0", []client{
		embedded("go.opentelemetry.io/otel/metric", "Meter", "Meter"),
	}},
	{"openai", "github.com/openai/openai-go/v3", "v3.98.0", []client{
		written("github.com/openai/openai-go/v3", "ChatCompletionService", "Completions"),
	}},
	{"anthropic", "github.com/anthropics/anthropic-sdk-go/v2", "v2.15.0", []client{
		written("github.com/anthropics/anthropic-sdk-go/v2", "MessageService", "Messages"),
	}},
	{"discord", "github.com/bwmarrin/discordgo", "v0.29.0", []client{
		written("github.com/bwmarrin/discordgo", "Session", "Discord"),
	}},
	{"telegram", "github.com/go-telegram-bot-api/telegram-bot-api/v5", "v5.5.1", []client{
		written("github.com/go-telegram-bot-api/telegram-bot-api/v5", "BotAPI", "Bot"),
	}},
	{"digitalocean", "github.com/digitalocean/godo", "v1.237.0", []client{
		embedded("github.com/digitalocean/godo", "DropletsService", "Droplets"),
	}},
	{"meilisearch", "github.com/meilisearch/meilisearch-go", "v0.37.0", []client{
		embedded("github.com/meilisearch/meilisearch-go", "ServiceManager", "Search"),
	}},
	{"sftp", "github.com/pkg/sftp", "v1.13.12", []client{
		written("github.com/pkg/sftp", "Client", "Files"),
	}},
}
