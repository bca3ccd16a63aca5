<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>ErrorText</name>
        <message>
            <source>This cannot be done with these values.</source>
            <translation>这些取值无法完成此操作。</translation>
        </message>
        <message>
            <source>Something that is needed is not there.</source>
            <translation>找不到所需的内容。</translation>
        </message>
        <message>
            <source>Reading or writing failed.</source>
            <translation>读写失败。</translation>
        </message>
        <message>
            <source>The file is damaged.</source>
            <translation>文件已损坏。</translation>
        </message>
        <message>
            <source>This version cannot do that.</source>
            <translation>此版本不支持该功能。</translation>
        </message>
        <message>
            <source>There is not enough memory.</source>
            <translation>内存不足。</translation>
        </message>
        <message>
            <source>The context is full.</source>
            <translation>上下文已满。</translation>
        </message>
        <message>
            <source>Cancelled.</source>
            <translation>已取消。</translation>
        </message>
        <message>
            <source>This is not possible right now.</source>
            <translation>现在无法执行此操作。</translation>
        </message>
        <message>
            <source>The compute device failed. The model has to be loaded again.</source>
            <translation>计算设备出错，需要重新加载模型。</translation>
        </message>
        <message>
            <source>Something inside Tandem went wrong.</source>
            <translation>Tandem 内部出错。</translation>
        </message>
    </context>
    <context>
        <name>Format</name>
        <message>
            <source>%1 s</source>
            <translation>%1 秒</translation>
        </message>
        <message>
            <source>%1 min %2 s</source>
            <translation>%1 分 %2 秒</translation>
        </message>
        <message>
            <source>%1 h %2 min</source>
            <translation>%1 小时 %2 分</translation>
        </message>
        <message>
            <source>%1 tok/s</source>
            <translation>%1 词元/秒</translation>
        </message>
    </context>
    <context>
        <name>LoadProgress</name>
        <message>
            <source>Reading the file's header</source>
            <translation>正在读取文件头</translation>
        </message>
        <message>
            <source>Planning memory</source>
            <translation>正在规划内存</translation>
        </message>
        <message>
            <source>Loading weights</source>
            <translation>正在加载权重</translation>
        </message>
        <message>
            <source>Warming up</source>
            <translation>正在预热</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>就绪</translation>
        </message>
        <message>
            <source>%1, %2 so far</source>
            <translation>%1，已用 %2</translation>
        </message>
        <message>
            <source>%1: %2 of %3</source>
            <translation>%1：%2 / %3</translation>
        </message>
        <message>
            <source>%1, %2, %3 left</source>
            <translation>%1，%2，剩余 %3</translation>
        </message>
    </context>
    <context>
        <name>ModelFit</name>
        <message>
            <source>Fits</source>
            <comment>badge: a model fits a machine</comment>
            <translation>可容纳</translation>
        </message>
        <message>
            <source>Up to %1</source>
            <comment>badge: fits with at most this many tokens of context</comment>
            <translation>最多 %1</translation>
        </message>
        <message>
            <source>Not now</source>
            <comment>badge: memory is in use by other programs</comment>
            <translation>暂不可用</translation>
        </message>
        <message>
            <source>Too large</source>
            <comment>badge</comment>
            <translation>过大</translation>
        </message>
        <message>
            <source>This cannot be planned for this model.</source>
            <translation>无法为此模型做规划。</translation>
        </message>
        <message>
            <source>One chat needs %1 of %2 on each machine. The context can be up to %3 tokens.</source>
            <translation>单个对话在每台机器上需要 %1，共有 %2。上下文最长可达 %3 个词元。</translation>
        </message>
        <message>
            <source>It would need %1 of %2. It fits with a context of up to %3 tokens for one chat.</source>
            <translation>需要 %1，而总共只有 %2。单个对话的上下文不超过 %3 个词元时可以容纳。</translation>
        </message>
        <message>
            <source>The machine is large enough, but other programs use its memory: %1 are needed, %2 are available. Close some of them.</source>
            <translation>机器内存足够大，但被其他程序占用：需要 %1，可用 %2。请关闭一些程序。</translation>
        </message>
        <message>
            <source>It needs %1 on each machine, which has %2.</source>
            <translation>每台机器需要 %1，而只有 %2。</translation>
        </message>
        <message>
            <source>One chat needs %1 of %2. The context can be up to %3 tokens.</source>
            <translation>单个对话需要 %1，共有 %2。上下文最长可达 %3 个词元。</translation>
        </message>
        <message>
            <source>It needs %1, and the machine has %2.</source>
            <translation>需要 %1，而机器只有 %2。</translation>
        </message>
    </context>
    <context>
        <name>Plan</name>
        <message>
            <source>Weights</source>
            <translation>权重</translation>
        </message>
        <message>
            <source>KV cache</source>
            <translation>KV 缓存</translation>
        </message>
        <message>
            <source>Recurrent state</source>
            <translation>循环状态</translation>
        </message>
        <message>
            <source>Activations</source>
            <translation>激活值</translation>
        </message>
        <message>
            <source>Communication</source>
            <translation>通信</translation>
        </message>
        <message>
            <source>Runtime</source>
            <translation>运行时</translation>
        </message>
        <message>
            <source>Reserve</source>
            <translation>预留</translation>
        </message>
        <message>
            <source>The model itself, in the types of its file.</source>
            <translation>模型本身，按文件中的数据类型存放。</translation>
        </message>
        <message>
            <source>Keys and values of every token in every chat, so that they are computed once.</source>
            <translation>每个对话中每个词元的键和值，只需计算一次。</translation>
        </message>
        <message>
            <source>What recurrent layers remember of each chat.</source>
            <translation>循环层为每个对话保留的内容。</translation>
        </message>
        <message>
            <source>Working memory of one step.</source>
            <translation>单步计算的工作内存。</translation>
        </message>
        <message>
            <source>Buffers for the exchange between machines.</source>
            <translation>机器之间交换数据的缓冲区。</translation>
        </message>
        <message>
            <source>The program itself and its libraries.</source>
            <translation>程序本身及其使用的库。</translation>
        </message>
        <message>
            <source>Left to the system and other programs, so that the machine never freezes.</source>
            <translation>留给系统和其他程序，避免机器卡死。</translation>
        </message>
        <message>
            <source>working memory of a step of %1 tokens</source>
            <translation>每步 %1 个词元的工作内存</translation>
        </message>
        <message>
            <source>NCCL, %1 connections</source>
            <translation>NCCL，%1 条连接</translation>
        </message>
        <message>
            <source>in %1 tensors</source>
            <translation>（%1 个张量）</translation>
        </message>
        <message>
            <source>%1 left to the system</source>
            <translation>留给系统 %1</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 层</translation>
        </message>
        <message>
            <source>%1 heads</source>
            <translation>%1 头</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>logits</source>
            <translation>logits</translation>
        </message>
        <message>
            <source>program</source>
            <translation>程序</translation>
        </message>
        <message>
            <source>tokenizer</source>
            <translation>分词器</translation>
        </message>
        <message>
            <source>transport</source>
            <translation>传输</translation>
        </message>
        <message>
            <source>%1 tokens of context</source>
            <translation>上下文 %1 个词元</translation>
        </message>
        <message numerus="yes">
            <source>%n chat(s) at once</source>
            <translation>
                <numerusform>同时 %n 个对话</numerusform>
            </translation>
        </message>
        <message>
            <source>KV cache in %1</source>
            <translation>KV 缓存 %1</translation>
        </message>
        <message numerus="yes">
            <source>%n Spark(s)</source>
            <translation>
                <numerusform>%n 台 Spark</numerusform>
            </translation>
        </message>
        <message>
            <source>%1, %2, %3, %4</source>
            <comment>a setting as a list</comment>
            <translation>%1，%2，%3，%4</translation>
        </message>
        <message>
            <source>%1, %2, %3</source>
            <comment>a setting as a list</comment>
            <translation>%1，%2，%3</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::AboutDialog</name>
        <message>
            <source>About Tandem</source>
            <translation>关于 Tandem</translation>
        </message>
        <message>
            <source>A native workstation for running large language models on your own machine.

Free software under the GNU General Public License, version 3 or later. It comes with no warranty.
Built with Qt %1.</source>
            <translation>在自己的机器上运行大语言模型的原生工作站。

自由软件，采用 GNU 通用公共许可证第 3 版或更高版本，不提供任何担保。
基于 Qt %1 构建。</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::AnswerFooterRow</name>
        <message>
            <source>Continue</source>
            <comment>go on with an answer that ended early</comment>
            <translation>继续</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>Leave out the oldest messages</source>
            <translation>略去最早的消息</translation>
        </message>
        <message>
            <source>Start a new chat</source>
            <translation>新建对话</translation>
        </message>
        <message>
            <source>Load with a larger context…</source>
            <translation>用更大的上下文加载…</translation>
        </message>
        <message>
            <source>Copy the answer</source>
            <translation>复制回答</translation>
        </message>
        <message>
            <source>Answer again</source>
            <translation>重新回答</translation>
        </message>
        <message>
            <source>Stopping…</source>
            <translation>正在停止…</translation>
        </message>
        <message>
            <source>Starting…</source>
            <translation>正在开始…</translation>
        </message>
        <message>
            <source>Waiting: next in line</source>
            <translation>等待中：下一个就是</translation>
        </message>
        <message>
            <source>Reading the prompt: %1 of %2 tokens</source>
            <translation>正在读取提示：%1 / %2 个词元</translation>
        </message>
        <message>
            <source>first token after %1</source>
            <translation>首个词元用时 %1</translation>
        </message>
        <message>
            <source>Interrupted: Tandem ended while this answer was being written.</source>
            <translation>已中断：生成此回答时 Tandem 意外退出。</translation>
        </message>
        <message>
            <source>Stopped.</source>
            <translation>已停止。</translation>
        </message>
        <message>
            <source>The answer reached its length limit.</source>
            <translation>回答已达到长度上限。</translation>
        </message>
        <message>
            <source>Load a model first.</source>
            <translation>请先加载模型。</translation>
        </message>
        <message>
            <source>Prompt: %1 tokens. Waiting in line: %2. Seed: %3.</source>
            <translation>提示：%1 个词元。排队：%2。种子：%3。</translation>
        </message>
        <message>
            <source>%1 ms</source>
            <translation>%1 毫秒</translation>
        </message>
        <message>
            <source>Waiting: place %1 in the queue</source>
            <translation>等待中：排在第 %1 位</translation>
        </message>
        <message>
            <source>%1 tokens so far</source>
            <translation>已生成 %1 个词元</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <comment>length of an answer</comment>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>Stopped</source>
            <comment>an answer</comment>
            <translation>已停止</translation>
        </message>
        <message>
            <source>The conversation has %1 tokens with this answer, and the context holds no more.</source>
            <translation>对话连同此回答共 %1 个词元，上下文已无法容纳更多。</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::Application</name>
        <message>
            <source>The folder %1 cannot be made.</source>
            <translation>无法创建文件夹 %1。</translation>
        </message>
        <message>
            <source>Settings and chats are lost when this window closes. Make the folder writable, or set TANDEM_HOME to another one, and start again.</source>
            <translation>关闭此窗口后，设置和对话将会丢失。请让该文件夹可写，或将 TANDEM_HOME 设为其他文件夹后重新启动。</translation>
        </message>
        <message>
            <source>the demo model</source>
            <translation>演示模型</translation>
        </message>
        <message>
            <source>Tandem did not end normally last time.</source>
            <translation>Tandem 上次没有正常退出。</translation>
        </message>
        <message>
            <source>No model was loaded by itself, in case it was the cause. The last one was %1.</source>
            <translation>为防再次出错，没有自动加载模型。上次使用的是 %1。</translation>
        </message>
        <message>
            <source>Last time you used %1.</source>
            <translation>上次使用的是 %1。</translation>
        </message>
        <message>
            <source>Choose Settings…</source>
            <translation>选择设置…</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>加载</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::Banner</name>
        <message>
            <source>Dismiss</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Dismiss this message</source>
            <translation>关闭此消息</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ChatPage</name>
        <message>
            <source>This chat could not be opened.</source>
            <translation>无法打开此对话。</translation>
        </message>
        <message>
            <source>All changes are saved again.</source>
            <translation>所有更改现已保存。</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>新建对话</translation>
        </message>
        <message>
            <source>The chat history is being opened…</source>
            <translation>正在打开对话记录…</translation>
        </message>
        <message>
            <source>Chats cannot be saved, so none can be started. See the message above.</source>
            <translation>对话无法保存，因此不能开始。请看上方的消息。</translation>
        </message>
        <message>
            <source>No model is loaded, so nothing can answer yet.</source>
            <translation>尚未加载模型，还不能回答。</translation>
        </message>
        <message>
            <source>Choose a model</source>
            <translation>选择模型</translation>
        </message>
        <message>
            <source>%1 is being loaded: %2 of %3.</source>
            <translation>正在加载 %1：%2 / %3。</translation>
        </message>
        <message>
            <source>%1 is being loaded.</source>
            <translation>正在加载 %1。</translation>
        </message>
        <message>
            <source>The model could not be loaded: %1</source>
            <translation>模型加载失败：%1</translation>
        </message>
        <message>
            <source>This model file has no chat template, so it cannot chat. Choose a model made for chat.</source>
            <translation>此模型文件没有对话模板，无法对话。请选择对话模型。</translation>
        </message>
        <message>
            <source>Copied.</source>
            <translation>已复制。</translation>
        </message>
        <message>
            <source>Open this link?</source>
            <translation>打开此链接？</translation>
        </message>
        <message>
            <source>The answer contains a link that another program opens:</source>
            <translation>回答中有一个需要用其他程序打开的链接：</translation>
        </message>
        <message>
            <source>No program was found that opens %1</source>
            <translation>没有找到能打开 %1 的程序</translation>
        </message>
        <message>
            <source>The chat was deleted.</source>
            <translation>对话已删除。</translation>
        </message>
        <message>
            <source>“%1” was deleted.</source>
            <translation>“%1”已删除。</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>撤销</translation>
        </message>
        <message>
            <source>Another Tandem has the chat history open.</source>
            <translation>另一个 Tandem 正在使用对话记录。</translation>
        </message>
        <message>
            <source>The chat history was written by a newer Tandem.</source>
            <translation>对话记录由更新版本的 Tandem 写入。</translation>
        </message>
        <message>
            <source>The chat history cannot be opened.</source>
            <translation>无法打开对话记录。</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>The chat history was damaged. What could be read was recovered.</source>
            <translation>对话记录已损坏，能读取的内容已恢复。</translation>
        </message>
        <message>
            <source>Recovered: %1 chats with %2 messages. The damaged file is kept as %3. What was found: %4</source>
            <translation>已恢复 %1 个对话、%2 条消息。损坏的文件保留为 %3。发现的问题：%4</translation>
        </message>
        <message>
            <source>Show the folder</source>
            <translation>显示文件夹</translation>
        </message>
        <message>
            <source>The chat history was brought to this version's format.</source>
            <translation>对话记录已转换为此版本的格式。</translation>
        </message>
        <message>
            <source>The old file is kept as %1.</source>
            <translation>旧文件保留为 %1。</translation>
        </message>
        <message>
            <source>Changes to your chats cannot be saved at the moment.</source>
            <translation>目前无法保存对话的更改。</translation>
        </message>
        <message>
            <source>%1 Nothing is lost while Tandem stays open: it tries again every two seconds.</source>
            <translation>%1 只要 Tandem 不退出就不会丢失内容：它每两秒重试一次。</translation>
        </message>
        <message>
            <source>Changes are not saved</source>
            <translation>更改尚未保存</translation>
        </message>
        <message>
            <source>Close and lose them</source>
            <translation>关闭并放弃更改</translation>
        </message>
        <message>
            <source>Search chats</source>
            <translation>搜索对话</translation>
        </message>
        <message>
            <source>Stop the answer</source>
            <translation>停止回答</translation>
        </message>
        <message>
            <source>Rename chat…</source>
            <translation>重命名对话…</translation>
        </message>
        <message>
            <source>Delete chat</source>
            <translation>删除对话</translation>
        </message>
        <message>
            <source>Export chat as Markdown…</source>
            <translation>将对话导出为 Markdown…</translation>
        </message>
        <message>
            <source>Export chat as JSON…</source>
            <translation>将对话导出为 JSON…</translation>
        </message>
        <message>
            <source>Import chats…</source>
            <translation>导入对话…</translation>
        </message>
        <message>
            <source>Settings of this chat</source>
            <translation>此对话的设置</translation>
        </message>
        <message>
            <source>System prompt and sampling of this chat (Ctrl+Shift+S)</source>
            <translation>此对话的系统提示和采样设置（Ctrl+Shift+S）</translation>
        </message>
        <message>
            <source>Messages</source>
            <translation>消息</translation>
        </message>
        <message>
            <source>Chat</source>
            <comment>page title</comment>
            <translation>对话</translation>
        </message>
        <message>
            <source>Answers interrupted when Tandem ended: %1. They can be continued.</source>
            <translation>Tandem 退出时中断的回答：%1 个，可以继续。</translation>
        </message>
        <message>
            <source>Changes to your chats that could not be saved yet: %1.</source>
            <translation>尚未保存的对话更改：%1 处。</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ChatSettingsPane</name>
        <message>
            <source>Settings of this chat</source>
            <translation>此对话的设置</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>系统提示</translation>
        </message>
        <message>
            <source>How the model should behave in this chat (optional)</source>
            <translation>模型在此对话中应如何表现（可选）</translation>
        </message>
        <message>
            <source>Think before answering</source>
            <translation>先思考再回答</translation>
        </message>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>0 always takes the likeliest token; higher values vary more.</source>
            <translation>0 表示总是选择最可能的词元；值越大变化越多。</translation>
        </message>
        <message>
            <source>Top-p</source>
            <translation>Top-p</translation>
        </message>
        <message>
            <source>Choose among the likeliest tokens that together have this probability. 1: all.</source>
            <translation>在累计概率达到此值的最可能词元中选择。1 表示全部。</translation>
        </message>
        <message>
            <source>Top-k</source>
            <translation>Top-k</translation>
        </message>
        <message>
            <source>Choose among this many of the likeliest tokens. 0: all.</source>
            <translation>在最可能的这么多个词元中选择。0 表示全部。</translation>
        </message>
        <message>
            <source>Min-p</source>
            <translation>Min-p</translation>
        </message>
        <message>
            <source>Leave out tokens less likely than this part of the likeliest one. 0: none.</source>
            <translation>略去概率低于最可能者此比例的词元。0 表示不略去。</translation>
        </message>
        <message>
            <source>Repetition penalty</source>
            <translation>重复惩罚</translation>
        </message>
        <message>
            <source>Above 1, tokens that occurred before become less likely.</source>
            <translation>大于 1 时，出现过的词元更难再被选中。</translation>
        </message>
        <message>
            <source>Presence penalty</source>
            <translation>存在惩罚</translation>
        </message>
        <message>
            <source>Above 0, tokens already in the answer become less likely.</source>
            <translation>大于 0 时，回答中已有的词元更难再被选中。</translation>
        </message>
        <message>
            <source>Frequency penalty</source>
            <translation>频率惩罚</translation>
        </message>
        <message>
            <source>Above 0, tokens become less likely with each time they were used in the answer.</source>
            <translation>大于 0 时，词元在回答中每用一次就更难再被选中。</translation>
        </message>
        <message>
            <source>Longest answer</source>
            <translation>最长回答</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>种子</translation>
        </message>
        <message>
            <source>The same seed gives the same answer again. Empty: a new one for each answer.</source>
            <translation>相同的种子会得到相同的回答。留空则每次回答都用新种子。</translation>
        </message>
        <message>
            <source>random</source>
            <translation>随机</translation>
        </message>
        <message>
            <source>Reset sampling</source>
            <translation>重置采样设置</translation>
        </message>
        <message>
            <source>Tokens after which the answer ends. No limit: it may fill the context.</source>
            <translation>回答达到这么多词元后结束。不限制时可能用满上下文。</translation>
        </message>
        <message>
            <source>no limit</source>
            <comment>longest answer</comment>
            <translation>不限制</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ChatView</name>
        <message>
            <source>To the newest message</source>
            <translation>转到最新消息</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::CodeRow</name>
        <message>
            <source>Code</source>
            <translation>代码</translation>
        </message>
        <message>
            <source>Copy</source>
            <comment>copy a block of code</comment>
            <translation>复制</translation>
        </message>
        <message>
            <source>Copy this code</source>
            <translation>复制此代码</translation>
        </message>
        <message>
            <source>Copied</source>
            <comment>a block of code</comment>
            <translation>已复制</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::Composer</name>
        <message>
            <source>Context: %1 of %2 tokens</source>
            <translation>上下文：%1 / %2 个词元</translation>
        </message>
        <message>
            <source>The context is full. Leave out old messages, start a new chat, or load the model with a larger context.</source>
            <translation>上下文已满。可以略去旧消息、新建对话，或用更大的上下文加载模型。</translation>
        </message>
        <message>
            <source>What the model is shown: system prompt, conversation, and what you are writing.</source>
            <translation>模型能看到的内容：系统提示、对话以及正在输入的文字。</translation>
        </message>
        <message>
            <source>Write a message</source>
            <translation>输入消息</translation>
        </message>
        <message>
            <source>Message</source>
            <translation>消息</translation>
        </message>
        <message>
            <source>Enter sends, Shift+Enter starts a new line.</source>
            <translation>按 Enter 发送，按 Shift+Enter 换行。</translation>
        </message>
        <message>
            <source>You are editing a former message. Sending makes a new version; the old one is kept.</source>
            <translation>正在编辑以前的消息。发送后会生成新版本，旧版本会保留。</translation>
        </message>
        <message>
            <source>Cancel</source>
            <comment>stop editing a message</comment>
            <translation>取消编辑</translation>
        </message>
        <message>
            <source>Stop editing the message</source>
            <translation>停止编辑消息</translation>
        </message>
        <message>
            <source>Send (Enter)</source>
            <translation>发送 (Enter)</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>发送</translation>
        </message>
        <message>
            <source>Stop</source>
            <comment>stop the answer</comment>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stop the answer (Esc)</source>
            <translation>停止回答 (Esc)</translation>
        </message>
        <message>
            <source>Stop the answer</source>
            <translation>停止回答</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ContextMarkRow</name>
        <message>
            <source>Messages above this line are no longer sent to the model.</source>
            <translation>此线以上的消息不再发送给模型。</translation>
        </message>
        <message>
            <source>Send them again</source>
            <translation>重新发送这些消息</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ConversationListModel</name>
        <message>
            <source>Untitled chat</source>
            <translation>无标题对话</translation>
        </message>
        <message>
            <source>%1, an answer is being written</source>
            <translation>%1，正在生成回答</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ConversationPanel</name>
        <message>
            <source>Your chats will be listed here.</source>
            <translation>你的对话会列在这里。</translation>
        </message>
        <message>
            <source>No chat contains “%1”.</source>
            <translation>没有对话包含“%1”。</translation>
        </message>
        <message>
            <source>Rename…</source>
            <translation>重命名…</translation>
        </message>
        <message>
            <source>Export as Markdown…</source>
            <translation>导出为 Markdown…</translation>
        </message>
        <message>
            <source>Export as JSON…</source>
            <translation>导出为 JSON…</translation>
        </message>
        <message>
            <source>Delete</source>
            <comment>a chat</comment>
            <translation>删除</translation>
        </message>
        <message>
            <source>Export all chats as JSON…</source>
            <translation>将所有对话导出为 JSON…</translation>
        </message>
        <message>
            <source>Import chats…</source>
            <translation>导入对话…</translation>
        </message>
        <message>
            <source>Rename chat</source>
            <translation>重命名对话</translation>
        </message>
        <message>
            <source>Name of the chat:</source>
            <translation>对话名称：</translation>
        </message>
        <message>
            <source>Export chats</source>
            <translation>导出对话</translation>
        </message>
        <message>
            <source>JSON files (*.json)</source>
            <translation>JSON 文件 (*.json)</translation>
        </message>
        <message>
            <source>Markdown files (*.md)</source>
            <translation>Markdown 文件 (*.md)</translation>
        </message>
        <message>
            <source>Exported to %1</source>
            <translation>已导出到 %1</translation>
        </message>
        <message>
            <source>Import chats</source>
            <translation>导入对话</translation>
        </message>
        <message>
            <source>New chat</source>
            <translation>新建对话</translation>
        </message>
        <message>
            <source>Start a new chat (%1)</source>
            <translation>新建对话 (%1)</translation>
        </message>
        <message>
            <source>More: rename, export, import, delete</source>
            <translation>更多：重命名、导出、导入、删除</translation>
        </message>
        <message>
            <source>More about chats</source>
            <translation>更多对话操作</translation>
        </message>
        <message>
            <source>Search all chats</source>
            <translation>搜索所有对话</translation>
        </message>
        <message>
            <source>Chats</source>
            <translation>对话</translation>
        </message>
        <message>
            <source>Chats imported: %1</source>
            <translation>已导入的对话：%1 个</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::EngineStatus</name>
        <message>
            <source>No model is loaded</source>
            <translation>未加载模型</translation>
        </message>
        <message>
            <source>%1 is ready</source>
            <translation>%1 已就绪</translation>
        </message>
        <message numerus="yes">
            <source>%1 is answering (%n request(s))</source>
            <translation>
                <numerusform>%1 正在回答（%n 个请求）</numerusform>
            </translation>
        </message>
        <message>
            <source>The model could not be loaded: %1</source>
            <translation>模型加载失败：%1</translation>
        </message>
        <message>
            <source>Progress of loading the model</source>
            <translation>模型加载进度</translation>
        </message>
        <message>
            <source>Cancel loading</source>
            <translation>取消加载</translation>
        </message>
        <message>
            <source>Engine state</source>
            <translation>引擎状态</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::LibraryTableModel</name>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Reading…</source>
            <comment>the model's header is being read</comment>
            <translation>正在读取…</translation>
        </message>
        <message>
            <source>One chat with 8,192 tokens of context, or the model's limit where that is smaller</source>
            <translation>单个对话，上下文 8,192 个词元；模型上限更小时以模型为准</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Architecture</source>
            <translation>架构</translation>
        </message>
        <message>
            <source>Parameters</source>
            <translation>参数量</translation>
        </message>
        <message>
            <source>Type</source>
            <comment>of a model's weights: F16, Q4_K</comment>
            <translation>类型</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>This machine</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>One Spark</source>
            <translation>一台 Spark</translation>
        </message>
        <message>
            <source>Two Sparks</source>
            <translation>两台 Spark</translation>
        </message>
        <message>
            <source>Damaged</source>
            <comment>a model file</comment>
            <translation>已损坏</translation>
        </message>
        <message>
            <source>Unsupported</source>
            <comment>a model this version cannot run</comment>
            <translation>不支持</translation>
        </message>
        <message>
            <source>Missing</source>
            <comment>a model file</comment>
            <translation>缺失</translation>
        </message>
        <message>
            <source>Unreadable</source>
            <comment>a model file</comment>
            <translation>无法读取</translation>
        </message>
        <message>
            <source>Error</source>
            <comment>a model file</comment>
            <translation>错误</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::LoadCard</name>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Cancel loading</source>
            <translation>取消加载</translation>
        </message>
        <message>
            <source>Change Settings…</source>
            <translation>更改设置…</translation>
        </message>
        <message>
            <source>Dismiss</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Progress of loading the model</source>
            <translation>模型加载进度</translation>
        </message>
        <message>
            <source>Loading %1</source>
            <translation>正在加载 %1</translation>
        </message>
        <message>
            <source>%1 could not be loaded. %2</source>
            <translation>无法加载 %1。%2</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::LoadDialog</name>
        <message>
            <source>Load %1</source>
            <translation>加载 %1</translation>
        </message>
        <message>
            <source> tokens</source>
            <translation> 个词元</translation>
        </message>
        <message>
            <source>How much of a chat the model sees at once. It was made for up to %1 tokens.</source>
            <translation>模型一次能看到多少对话内容。此模型最多支持 %1 个词元。</translation>
        </message>
        <message>
            <source>Largest That Fits</source>
            <translation>可容纳的最大值</translation>
        </message>
        <message>
            <source>Chats that can be answered at the same time, each with the whole context</source>
            <translation>可以同时回答的对话数，每个都有完整的上下文</translation>
        </message>
        <message>
            <source>How keys and values are stored. f16 is right for almost everything; f32 takes twice as much.</source>
            <translation>键和值的存储方式。f16 几乎适合所有情况；f32 占用两倍内存。</translation>
        </message>
        <message>
            <source>One per processor core</source>
            <translation>每个处理器核心一个</translation>
        </message>
        <message>
            <source>Chats at &amp;once</source>
            <translation>同时对话数(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;KV cache type</source>
            <translation>KV 缓存类型(&amp;K)</translation>
        </message>
        <message>
            <source>&amp;Threads</source>
            <translation>线程数(&amp;T)</translation>
        </message>
        <message>
            <source>C&amp;ontext</source>
            <translation>上下文(&amp;C)</translation>
        </message>
        <message>
            <source>Context in tokens</source>
            <translation>上下文词元数</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>加载</translation>
        </message>
        <message>
            <source>Does not work</source>
            <translation>无法使用</translation>
        </message>
        <message>
            <source>This machine</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>Fits</source>
            <translation>可容纳</translation>
        </message>
        <message numerus="yes">
            <source>Needs %1, %2 are available. The context can be up to %3 tokens for %n chat(s) at once.</source>
            <translation>
                <numerusform>需要 %1，可用 %2。同时 %n 个对话时，上下文最长可达 %3 个词元。</numerusform>
            </translation>
        </message>
        <message>
            <source>Does not fit</source>
            <translation>无法容纳</translation>
        </message>
        <message>
            <source>Needs %1, but only %2 are available.</source>
            <translation>需要 %1，但只有 %2 可用。</translation>
        </message>
        <message>
            <source>Use %1</source>
            <translation>改用：%1</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::MainWindow</name>
        <message>
            <source>%1 – Tandem</source>
            <comment>window title; %1 is the page</comment>
            <translation>%1 – Tandem</translation>
        </message>
        <message>
            <source>&amp;File</source>
            <translation>文件(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Unload the Model</source>
            <translation>卸载模型(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Quit</source>
            <translation>退出(&amp;Q)</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>视图(&amp;V)</translation>
        </message>
        <message>
            <source>&amp;Theme</source>
            <translation>主题(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;System</source>
            <comment>theme</comment>
            <translation>跟随系统(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Light</source>
            <comment>theme</comment>
            <translation>浅色(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Dark</source>
            <comment>theme</comment>
            <translation>深色(&amp;D)</translation>
        </message>
        <message>
            <source>L&amp;anguage</source>
            <translation>语言(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;System</source>
            <comment>language</comment>
            <translation>跟随系统(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>帮助(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;About Tandem</source>
            <translation>关于 Tandem(&amp;A)</translation>
        </message>
        <message>
            <source>Pages</source>
            <translation>页面</translation>
        </message>
        <message>
            <source>Show the page %1</source>
            <translation>显示“%1”页面</translation>
        </message>
        <message>
            <source>%1 of %2 memory available</source>
            <translation>可用内存 %1 / %2</translation>
        </message>
        <message>
            <source>What programs can still take without swapping, as the system reports it</source>
            <translation>系统报告的、程序无需交换即可使用的内存</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ModelDetails</name>
        <message>
            <source>Reading the header of %1…</source>
            <translation>正在读取 %1 的文件头…</translation>
        </message>
        <message>
            <source>Unload</source>
            <translation>卸载</translation>
        </message>
        <message>
            <source>Load…</source>
            <translation>加载…</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <comment>name and value</comment>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Architecture</source>
            <translation>架构</translation>
        </message>
        <message>
            <source>Parameters</source>
            <translation>参数量</translation>
        </message>
        <message>
            <source>%1 (%2)</source>
            <comment>rounded and exact number</comment>
            <translation>%1（%2）</translation>
        </message>
        <message>
            <source>Weights</source>
            <translation>权重</translation>
        </message>
        <message>
            <source>Format</source>
            <translation>格式</translation>
        </message>
        <message numerus="yes">
            <source>%1, %n file(s)</source>
            <translation>
                <numerusform>%1，%n 个文件</numerusform>
            </translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>上下文</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>层数</translation>
        </message>
        <message>
            <source>Attention heads</source>
            <translation>注意力头</translation>
        </message>
        <message>
            <source>%1, sharing %2 key/value heads of %3</source>
            <translation>%1 个，共用 %2 个维度为 %3 的键/值头</translation>
        </message>
        <message>
            <source>Experts</source>
            <translation>专家</translation>
        </message>
        <message>
            <source>%1 per layer, %2 used per token</source>
            <translation>每层 %1 个，每个词元使用 %2 个</translation>
        </message>
        <message>
            <source>KV cache</source>
            <translation>KV 缓存</translation>
        </message>
        <message>
            <source>%1 per token in f16</source>
            <translation>每个词元 %1（f16）</translation>
        </message>
        <message>
            <source>This machine</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>One Spark</source>
            <translation>一台 Spark</translation>
        </message>
        <message>
            <source>Two Sparks</source>
            <translation>两台 Spark</translation>
        </message>
        <message>
            <source>Details of the chosen model</source>
            <translation>所选模型的详细信息</translation>
        </message>
        <message>
            <source>Choose a model to see what is in it.</source>
            <translation>选择一个模型以查看其内容。</translation>
        </message>
        <message>
            <source>This tiny model came with Tandem to show that everything works. It knows little and is often wrong; it is not fit for real answers.</source>
            <translation>这是随 Tandem 附带的极小模型，用来演示一切正常。它懂得很少，经常出错，不适合用来获取真正的答案。</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
        <message>
            <source>Show this model's memory budget on the Plan page</source>
            <translation>在“规划”页面显示此模型的内存预算</translation>
        </message>
        <message>
            <source>Remove from List</source>
            <translation>从列表移除</translation>
        </message>
        <message>
            <source>Takes the model off this list. Its files stay where they are.</source>
            <translation>只从列表中移除模型，不会删除文件。</translation>
        </message>
        <message>
            <source>Overview</source>
            <translation>概览</translation>
        </message>
        <message>
            <source>Metadata</source>
            <translation>元数据</translation>
        </message>
        <message>
            <source>Tensors</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Filter metadata</source>
            <translation>筛选元数据</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>键</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>Metadata of the model file</source>
            <translation>模型文件的元数据</translation>
        </message>
        <message>
            <source>Type</source>
            <comment>of a tensor</comment>
            <translation>类型</translation>
        </message>
        <message>
            <source>Tensors by type</source>
            <translation>按类型统计的张量</translation>
        </message>
        <message>
            <source>Read Again</source>
            <translation>重新读取</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ModelLoading</name>
        <message>
            <source>Load</source>
            <translation>加载</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ModelsPage</name>
        <message>
            <source>No model was found in %1.</source>
            <translation>在 %1 中没有找到模型。</translation>
        </message>
        <message>
            <source>Tandem lists .gguf files, and folders that hold config.json with .safetensors files.</source>
            <translation>Tandem 会列出 .gguf 文件，以及含有 config.json 和 .safetensors 文件的文件夹。</translation>
        </message>
        <message numerus="yes">
            <source>%n path(s) could not be added.</source>
            <translation>
                <numerusform>有 %n 个路径无法添加。</numerusform>
            </translation>
        </message>
        <message>
            <source>Nothing is there: %1</source>
            <translation>路径不存在：%1</translation>
        </message>
        <message>
            <source>Add a Folder of Models</source>
            <translation>添加模型文件夹</translation>
        </message>
        <message>
            <source>Add Model Files</source>
            <translation>添加模型文件</translation>
        </message>
        <message>
            <source>Models (*.gguf *.safetensors)</source>
            <translation>模型 (*.gguf *.safetensors)</translation>
        </message>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>%1 is no longer on the list. Its files were not touched.</source>
            <translation>%1 已从列表移除，文件未受影响。</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>撤销</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Reading files…</source>
            <translation>正在读取文件…</translation>
        </message>
        <message>
            <source>Add &amp;Files…</source>
            <translation>添加文件(&amp;F)…</translation>
        </message>
        <message>
            <source>Add F&amp;older…</source>
            <translation>添加文件夹(&amp;O)…</translation>
        </message>
        <message>
            <source>&amp;Load…</source>
            <translation>加载(&amp;L)…</translation>
        </message>
        <message>
            <source>&amp;Remove from List</source>
            <translation>从列表移除(&amp;R)</translation>
        </message>
        <message>
            <source>Read All &amp;Again</source>
            <translation>全部重新读取(&amp;A)</translation>
        </message>
        <message>
            <source>Add Files…</source>
            <translation>添加文件…</translation>
        </message>
        <message>
            <source>Add Folder…</source>
            <translation>添加文件夹…</translation>
        </message>
        <message>
            <source>Filter</source>
            <translation>筛选</translation>
        </message>
        <message>
            <source>Filter the list of models</source>
            <translation>筛选模型列表</translation>
        </message>
        <message>
            <source>No model matches the filter.</source>
            <translation>没有符合筛选条件的模型。</translation>
        </message>
        <message>
            <source>No models yet</source>
            <translation>还没有模型</translation>
        </message>
        <message>
            <source>Add a .gguf file, or a folder with config.json and .safetensors files. You can also drop them on this window.</source>
            <translation>添加 .gguf 文件，或含有 config.json 和 .safetensors 文件的文件夹。也可以把它们拖放到此窗口。</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::PlanPage</name>
        <message>
            <source>This machine</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>DGX Spark</source>
            <translation>DGX Spark</translation>
        </message>
        <message>
            <source>Spark 1</source>
            <translation>Spark 1</translation>
        </message>
        <message>
            <source>Spark 2</source>
            <translation>Spark 2</translation>
        </message>
        <message>
            <source>From the catalogue: not on this machine. The file's own numbers may differ a little.</source>
            <translation>来自目录，本机上没有此模型。实际文件的数字可能略有出入。</translation>
        </message>
        <message>
            <source>Does not work</source>
            <translation>无法使用</translation>
        </message>
        <message>
            <source>Fits</source>
            <translation>可容纳</translation>
        </message>
        <message>
            <source>Needs %1 of %2 on each machine.</source>
            <translation>每台机器需要 %1，共有 %2。</translation>
        </message>
        <message>
            <source>Needs %1 of %2.</source>
            <translation>需要 %1，共有 %2。</translation>
        </message>
        <message>
            <source>Does not fit</source>
            <translation>无法容纳</translation>
        </message>
        <message>
            <source>Needs %1 on each machine, but each has only %2 for it.</source>
            <translation>每台机器需要 %1，但只有 %2。</translation>
        </message>
        <message>
            <source>Needs %1, but there are only %2 for it.</source>
            <translation>需要 %1，但只有 %2。</translation>
        </message>
        <message>
            <source>Use %1</source>
            <translation>改用：%1</translation>
        </message>
        <message>
            <source>None</source>
            <comment>no context or no chat fits</comment>
            <translation>无</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message numerus="yes">
            <source>for %n chat(s) at once</source>
            <translation>
                <numerusform>同时 %n 个对话</numerusform>
            </translation>
        </message>
        <message>
            <source>with %1 tokens each</source>
            <translation>每个 %1 个词元</translation>
        </message>
        <message>
            <source>on each machine</source>
            <translation>每台机器</translation>
        </message>
        <message>
            <source>in %1</source>
            <translation>类型 %1</translation>
        </message>
        <message>
            <source>weights that one answer token reads</source>
            <translation>每生成一个词元读取的权重</translation>
        </message>
        <message>
            <source>one chat, empty context: memory bandwidth %1 ÷ bytes read per token</source>
            <translation>单个对话、空上下文：内存带宽 %1 ÷ 每个词元读取的字节数</translation>
        </message>
        <message>
            <source>one chat, full context: its keys and values are read too</source>
            <translation>单个对话、上下文已满：还要读取其键和值</translation>
        </message>
        <message>
            <source>memory bandwidth of this machine is not measured yet</source>
            <translation>尚未测量本机的内存带宽</translation>
        </message>
        <message>
            <source>Measuring…</source>
            <translation>正在测量…</translation>
        </message>
        <message>
            <source>Measure Memory Bandwidth</source>
            <translation>测量内存带宽</translation>
        </message>
        <message>
            <source>Memory plan</source>
            <translation>内存规划</translation>
        </message>
        <message>
            <source>See what a model needs before you load or download it. The engine keeps to these numbers: it refuses what does not fit.</source>
            <translation>在加载或下载之前查看模型的需求。引擎遵守这些数字，放不下的会拒绝加载。</translation>
        </message>
        <message>
            <source>Nothing to plan yet</source>
            <translation>还没有可规划的模型</translation>
        </message>
        <message>
            <source>Add a model on the Models page, then come back to see what it needs.</source>
            <translation>请先在“模型”页面添加模型，再回到这里查看它的需求。</translation>
        </message>
        <message>
            <source>Go to Models</source>
            <translation>前往“模型”</translation>
        </message>
        <message>
            <source>&amp;Model</source>
            <translation>模型(&amp;M)</translation>
        </message>
        <message>
            <source>M&amp;achine</source>
            <translation>机器(&amp;A)</translation>
        </message>
        <message>
            <source>C&amp;ontext</source>
            <translation>上下文(&amp;O)</translation>
        </message>
        <message>
            <source>Chats at on&amp;ce</source>
            <translation>同时对话数(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;KV cache type</source>
            <translation>KV 缓存类型(&amp;K)</translation>
        </message>
        <message>
            <source>One DGX Spark</source>
            <translation>一台 DGX Spark</translation>
        </message>
        <message>
            <source>Two DGX Sparks</source>
            <translation>两台 DGX Spark</translation>
        </message>
        <message>
            <source> tokens</source>
            <translation> 个词元</translation>
        </message>
        <message>
            <source>How much of a chat the model sees at once</source>
            <translation>模型一次能看到多少对话内容</translation>
        </message>
        <message>
            <source>Chats that are answered at the same time, each with the whole context</source>
            <translation>同时回答的对话数，每个都有完整的上下文</translation>
        </message>
        <message>
            <source>q8_0 and fp8 take about half the memory of f16, with a small loss of precision</source>
            <translation>q8_0 和 fp8 的内存约为 f16 的一半，精度略有损失</translation>
        </message>
        <message>
            <source>Largest That Fits</source>
            <translation>可容纳的最大值</translation>
        </message>
        <message>
            <source>Largest context</source>
            <translation>最大上下文</translation>
        </message>
        <message>
            <source>Most chats at once</source>
            <translation>最多同时对话</translation>
        </message>
        <message>
            <source>KV cache per token</source>
            <translation>每个词元的 KV 缓存</translation>
        </message>
        <message>
            <source>Read per token</source>
            <translation>每个词元读取量</translation>
        </message>
        <message>
            <source>Decode speed, at most</source>
            <translation>解码速度上限</translation>
        </message>
        <message>
            <source>With a full context, at most</source>
            <translation>上下文已满时的上限</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::PlanView</name>
        <message>
            <source>Show the arithmetic</source>
            <translation>显示算式</translation>
        </message>
        <message>
            <source>How each number was computed</source>
            <translation>每个数字是如何算出的</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>%1 of %2: %3 too much</source>
            <translation>%1 / %2：超出 %3</translation>
        </message>
        <message>
            <source>Memory of %1</source>
            <translation>%1的内存</translation>
        </message>
        <message>
            <source>Capacity: %1</source>
            <translation>容量：%1</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::QuestionFooterRow</name>
        <message>
            <source>Edit and send again</source>
            <translation>编辑并重新发送</translation>
        </message>
        <message>
            <source>Copy the message</source>
            <translation>复制消息</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::QuestionRow</name>
        <message>
            <source>Your message</source>
            <translation>你的消息</translation>
        </message>
        <message>
            <source>Show all %1 characters</source>
            <translation>显示全部 %1 个字符</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::RichTextRow</name>
        <message>
            <source>Part of the answer</source>
            <translation>回答的一部分</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::SettingsPage</name>
        <message>
            <source>Add a Folder of Models</source>
            <translation>添加模型文件夹</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>外观</translation>
        </message>
        <message>
            <source>&amp;Language</source>
            <translation>语言(&amp;L)</translation>
        </message>
        <message>
            <source>The window changes at once. The language of answers is the model's affair.</source>
            <translation>窗口立即切换语言。回答使用的语言由模型决定。</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>跟随系统</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>语言</translation>
        </message>
        <message>
            <source>&amp;Theme</source>
            <translation>主题(&amp;T)</translation>
        </message>
        <message>
            <source>Light or dark colours, or whatever the desktop uses.</source>
            <translation>浅色、深色，或与桌面一致。</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>浅色</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>深色</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>主题</translation>
        </message>
        <message>
            <source>Engine</source>
            <translation>引擎</translation>
        </message>
        <message>
            <source>Th&amp;reads</source>
            <translation>线程数(&amp;R)</translation>
        </message>
        <message>
            <source>Processor threads of models that you load from now on. One per core is usually fastest; fewer leave room for other programs.</source>
            <translation>此后加载的模型使用的处理器线程数。通常每个核心一个最快；少一些可为其他程序留出余地。</translation>
        </message>
        <message>
            <source>One per processor core</source>
            <translation>每个处理器核心一个</translation>
        </message>
        <message>
            <source>Threads</source>
            <translation>线程数</translation>
        </message>
        <message>
            <source>Model folders</source>
            <translation>模型文件夹</translation>
        </message>
        <message>
            <source>What you added on the Models page. Folders are searched again at each start; files are never changed.</source>
            <translation>在“模型”页面添加的内容。每次启动都会重新搜索文件夹，文件从不会被更改。</translation>
        </message>
        <message>
            <source>Model folders and files</source>
            <translation>模型文件夹和文件</translation>
        </message>
        <message>
            <source>No folder or file was added yet.</source>
            <translation>尚未添加文件夹或文件。</translation>
        </message>
        <message>
            <source>Add Folder…</source>
            <translation>添加文件夹…</translation>
        </message>
        <message>
            <source>Remove from List</source>
            <translation>从列表移除</translation>
        </message>
        <message>
            <source>Storage</source>
            <translation>存储</translation>
        </message>
        <message>
            <source>Everything stays on this machine. Set TANDEM_HOME before the start to keep it somewhere else.</source>
            <translation>所有内容都保存在本机。启动前设置 TANDEM_HOME 可改变存放位置。</translation>
        </message>
        <message>
            <source>Chats</source>
            <translation>对话</translation>
        </message>
        <message>
            <source>Settings file</source>
            <translation>设置文件</translation>
        </message>
        <message>
            <source>Open Folder</source>
            <translation>打开文件夹</translation>
        </message>
        <message>
            <source>Open the folder of the chats</source>
            <translation>打开对话所在的文件夹</translation>
        </message>
        <message>
            <source>Open the folder of the settings</source>
            <translation>打开设置所在的文件夹</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::StackedBar</name>
        <message>
            <source>%1: %2</source>
            <comment>part of a bar and its size</comment>
            <translation>%1：%2</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ThinkingRow</name>
        <message>
            <source>The model's thinking</source>
            <translation>模型的思考</translation>
        </message>
        <message>
            <source>Thinking…</source>
            <translation>正在思考…</translation>
        </message>
        <message>
            <source>Thoughts</source>
            <translation>思考过程</translation>
        </message>
        <message>
            <source>Hide the model's thinking</source>
            <translation>隐藏模型的思考</translation>
        </message>
        <message>
            <source>Show the model's thinking</source>
            <translation>显示模型的思考</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::VersionSwitch</name>
        <message>
            <source>Former version</source>
            <translation>上一版本</translation>
        </message>
        <message>
            <source>Next version</source>
            <translation>下一版本</translation>
        </message>
        <message>
            <source>Version %1 of %2</source>
            <translation>第 %1 版，共 %2 版</translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::WelcomeView</name>
        <message>
            <source>Choose a model</source>
            <translation>选择模型</translation>
        </message>
        <message>
            <source>The model is being loaded</source>
            <translation>正在加载模型</translation>
        </message>
        <message>
            <source>You can write your first message meanwhile.</source>
            <translation>你可以先写第一条消息。</translation>
        </message>
        <message>
            <source>No model is loaded</source>
            <translation>未加载模型</translation>
        </message>
        <message>
            <source>Load one on the Models page. The demo model that comes with Tandem loads in a moment.</source>
            <translation>请在“模型”页面加载一个。随 Tandem 附带的演示模型片刻即可加载。</translation>
        </message>
        <message>
            <source>Chat with the demo model</source>
            <translation>与演示模型对话</translation>
        </message>
        <message>
            <source>This is a tiny model with 13 million parameters. It shows that everything works and knows some 400 topics more or less by heart; for real answers load a real model.</source>
            <translation>这是一个只有 1300 万参数的极小模型，用来演示一切正常，大致记住了约 400 个话题；要得到真正的回答，请加载真正的模型。</translation>
        </message>
        <message>
            <source>Chat with %1</source>
            <translation>与 %1 对话</translation>
        </message>
        <message>
            <source>Everything you write stays on this machine.</source>
            <translation>你写的一切都只保存在本机。</translation>
        </message>
        <message>
            <source>Why do models keep a KV cache?</source>
            <translation>什么是KV缓存？</translation>
        </message>
        <message>
            <source>What is 36 + 48?</source>
            <translation>36 + 48 等于多少？</translation>
        </message>
        <message>
            <source>What is a DGX Spark?</source>
            <translation>什么是 DGX Spark？</translation>
        </message>
        <message>
            <source>Tell me a short story.</source>
            <translation>你是谁？</translation>
        </message>
        <message>
            <source>Ask: %1</source>
            <translation>提问：%1</translation>
        </message>
    </context>
</TS>
